import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs the work in a new folder and removes the folder afterwards.
 * @template Result
 * @param {(folder: string) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function inFolder(work) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-bench-')))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * The complete environment of bench processes. They do not inherit the environment of the caller.
 * @param {string} home
 */
export const minimalEnvironment = (home) => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: home,
  LANG: 'C.UTF-8',
  CI: 'true',
  NO_COLOR: '1',
  QUARTERDECK_ALLOW_UNSANDBOXED: '1',
})
