import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type ConfigProblem, fileError } from '../problems/problem.ts'
import { readText } from './read-text.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const maxBytes = 256 * 1024

/** Shell variables over those of `.env` in each folder; the first folder wins. */
export async function readEnvironment(shell: Environment, folders: readonly string[]) {
  /** Every file looked for, including missing ones. */
  const files = [...new Set(folders.map((folder) => join(folder, '.env')))]
  const problems: ConfigProblem[] = []
  const layers: Environment[] = []
  for (const file of files) {
    const read = await readText(file, maxBytes)
    if (read.type === 'text') layers.push(parseEnv(read.text))
    if (read.type === 'unreadable') {
      problems.push(fileError(file, 'config.unreadable', `cannot read the environment file: ${read.reason}`))
    }
  }
  const set = Object.fromEntries(Object.entries(shell).filter(([, value]) => value !== undefined))
  return { env: Object.assign({}, ...layers.reverse(), set), problems, files }
}
