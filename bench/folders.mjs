import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs work in a new folder and removes it afterwards.
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
 * All that a process of the bench gets to see: never the environment of whoever runs it.
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
