import { readFile, truncate } from 'node:fs/promises'
import { hasErrorCode, parseJson } from '@quarterdeck/protocol'
import { type CallResult, callsOf, Entry, reminder } from './entry.ts'
import { missingResult } from './missing-results.ts'

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
    if (hasErrorCode(error, 'ENOENT')) return null
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

const lostNote = reminder('A part of this conversation was lost here.')

/**
 * Repairs a conversation in which some lines (`null`) cannot be read, so that providers accept it: every call has its
 * result and every result its call. The length stays the same, because summaries refer to entries by index.
 */
export function repairEntries(read: readonly (Entry | null)[]): Entry[] {
  /** The calls of the latest answer that have no result yet, while only results can follow. */
  let open: readonly string[] = []
  return read.map((entry, index): Entry => {
    if (entry?.type === 'results') {
      const results = entry.results.filter(({ toolUseId }) => open.includes(toolUseId))
      open = open.filter((id) => !results.some(({ toolUseId }) => toolUseId === id))
      return results.length > 0 || open.length > 0 ? { type: 'results', results } : note
    }
    if (entry === null && open.length > 0) {
      const later = resultsAfter(read, index).map(({ toolUseId }) => toolUseId)
      const lost = open.filter((id) => !later.includes(id))
      open = open.filter((id) => later.includes(id))
      return { type: 'results', results: lost.map(missingResult) }
    }
    open = entry?.type === 'answer' ? callsOf(entry.parts).map(({ toolUseId }) => toolUseId) : []
    return entry ?? note
  })
}

const note: Entry = { type: 'note', text: lostNote }

/** Results of the same answer. */
function resultsAfter(read: readonly (Entry | null)[], index: number): readonly CallResult[] {
  const rest = read.slice(index + 1)
  const end = rest.findIndex((entry) => entry !== null && entry.type !== 'results')
  return rest
    .slice(0, end === -1 ? rest.length : end)
    .flatMap((entry) => (entry?.type === 'results' ? entry.results : []))
}
