// The checkers and the test browser are outside of the workspaces and are installed on first use.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from './run-command.mjs'

/**
 * Installs `tools/` when it is missing or its lock file changed since the last install.
 * @param {string} root
 * @returns {Promise<{ ok: boolean, note: string, output: string }>}
 */
export async function installTools(root) {
  const tools = join(root, 'tools')
  const stamp = join(tools, 'node_modules', '.installed-lock')
  const wanted = createHash('sha256')
    .update(await readFile(join(tools, 'package-lock.json')))
    .digest('hex')
  if ((await readOrNothing(stamp)) === wanted) return { ok: true, note: 'already installed', output: '' }

  const { code, output } = await runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tools })
  if (code !== 0) return { ok: false, note: '`npm ci` in tools/ failed', output }
  await writeFile(stamp, wanted)
  return { ok: true, note: 'installed', output }
}

/** @param {string} path */
async function readOrNothing(path) {
  try {
    return await readFile(path, 'utf8')
  } catch {
    // Not installed yet: the stamp does not exist.
    return ''
  }
}
