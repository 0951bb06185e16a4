// The files that Git tracks or would add.
import { runCommand } from './run-command.mjs'

/**
 * Throws if Git fails: a check of no files would pass. A listed file may be deleted in the working tree.
 * @param {string} root
 * @returns {Promise<readonly string[]>}
 */
export async function listFiles(root) {
  const { code, output } = await runCommand('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root })
  if (code !== 0) throw new Error(`git cannot list the files of ${root}: ${output.trim()}`)
  return output.split('\n').filter((path) => path !== '')
}
