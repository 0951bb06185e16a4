import { readFile, truncate } from 'node:fs/promises'
import { Entry } from './entry.ts'
import { repairEntries } from './repair-entries.ts'

export interface ReadEntries {
  readonly entries: readonly Entry[]
  /** Lines that cannot be read: what stands in their place only says so. */
  readonly lostLines: number
}

/** `null` where there is no such file, or nothing in it that can be read. */
export async function readEntries(file: string): Promise<ReadEntries | null> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  // What comes after the last whole line was being written when the process died.
  const whole = bytes.lastIndexOf('\n') + 1
  if (whole < bytes.length) await truncate(file, whole)
  const lines = bytes.toString('utf8', 0, whole).split('\n')
  const read = lines.filter((line) => line !== '').map(entryIn)
  const lostLines = read.filter((entry) => entry === null).length
  if (lostLines === read.length) return null
  return { entries: lostLines === 0 ? read.filter((entry) => entry !== null) : repairEntries(read), lostLines }
}

function entryIn(line: string): Entry | null {
  try {
    return Entry.parse(JSON.parse(line))
  } catch {
    return null
  }
}
