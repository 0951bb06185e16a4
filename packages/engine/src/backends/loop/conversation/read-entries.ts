import { readFile, truncate } from 'node:fs/promises'
import { parseJson } from '@quarterdeck/protocol'
import { Entry } from './entry.ts'
import { repairEntries } from './repair-entries.ts'

export interface ReadEntries {
  readonly entries: readonly Entry[]
  /** The number of unreadable lines. Placeholders replace them. */
  readonly lostLines: number
}

/** `null` if there is no such file or nothing in it can be read. */
export async function readEntries(file: string): Promise<ReadEntries | null> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  // An incomplete last line was being written when the process died.
  const whole = bytes.lastIndexOf('\n') + 1
  if (whole < bytes.length) await truncate(file, whole)
  const lines = bytes.toString('utf8', 0, whole).split('\n')
  const read = lines.filter((line) => line !== '').map(entryIn)
  const lostLines = read.filter((entry) => entry === null).length
  if (lostLines === read.length) return null
  return { entries: lostLines === 0 ? read.filter((entry) => entry !== null) : repairEntries(read), lostLines }
}

const entryIn = (line: string): Entry | null => Entry.safeParse(parseJson(line)).data ?? null
