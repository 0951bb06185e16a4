// Builds when this is a checkout and the build is missing or old, then hands over to the built command.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from './ensure-built.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * @param {readonly string[]} argv what follows the command's name
 * @returns {Promise<number>} the exit code
 */
export async function launch(argv) {
  // A published package carries no sources: there is nothing to build and no tool to build it with.
  const isCheckout = existsSync(new URL('../src/index.ts', import.meta.url))
  if (isCheckout && !(await ensureBuilt(root, (line) => process.stderr.write(`${line}\n`)))) return 1

  // The bundle finds files of the other packages by their place in a checkout.
  const built = isCheckout ? '../dist/bundle/index.js' : '../dist/index.js'
  const { main } = await import(new URL(built, import.meta.url).href)
  return main(argv)
}
