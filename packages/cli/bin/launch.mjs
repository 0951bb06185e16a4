// Builds a checkout when its build is missing or old, then runs the built command.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from './ensure-built.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * @param {readonly string[]} argv arguments after the name of the command
 * @returns {Promise<number>} the exit code
 */
export async function launch(argv) {
  // A published package has no sources and no build tools.
  const isCheckout = existsSync(new URL('../src/index.ts', import.meta.url))
  if (isCheckout && !(await ensureBuilt(root, (line) => process.stderr.write(`${line}\n`)))) return 1

  // The bundle finds files of the other packages by their location in a checkout.
  const built = isCheckout ? '../dist/bundle/index.js' : '../dist/index.js'
  const { main } = await import(new URL(built, import.meta.url).href)
  return main(argv)
}
