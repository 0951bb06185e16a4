// Every byte that leaves for an analysis, as it leaves: the proof behind the sentence on the screen.
import { analyzeRoutes, type PrivacyLevel, parseJson } from '@quarterdeck/protocol'
import type { RowsKind, SentEntry } from '../domain/analysis.ts'

export interface RecordingOptions {
  readonly level: () => PrivacyLevel
  /** Which step a call is, where it is known. */
  readonly stepOf: (callId: string) => number | null
  /** What the rows of a call's result are, where they were judged. */
  readonly kindOf: (callId: string) => RowsKind | undefined
  /** Told before the request leaves. What it rejects with keeps the request here. */
  readonly onEntry: (entry: SentEntry) => void | Promise<void>
  readonly now?: () => Date
}

/** Round the `fetch` of a client: what has a body is written down, each try of it; what has none tells nothing of the data. */
export function createRecordingFetch(send: typeof fetch, options: RecordingOptions): typeof fetch {
  return async (input, init) => {
    const body = bodyOf(input, init)
    if (body !== null) await options.onEntry(entryOf(addressOf(input), body, options))
    return send(input, init)
  }
}

const addressOf = (input: RequestInfo | URL): string => new URL(String(input), 'http://localhost').pathname

/**
 * The client of the house sends texts to addresses. Anything else is refused: it could not be written down as it leaves.
 * A Request has a body of its own besides the one that is handed over with it.
 */
function bodyOf(input: RequestInfo | URL, init: RequestInit | undefined): string | null {
  const body = init?.body ?? null
  if (!(input instanceof Request) && (body === null || typeof body === 'string')) return body
  throw new TypeError('what leaves for an analysis has to be text')
}

function entryOf(address: string, body: string, options: RecordingOptions): SentEntry {
  const { level, stepOf, kindOf, now = () => new Date() } = options
  const sent = asRecord(parseJson(body))
  const callId = typeof sent.toolCallId === 'string' ? sent.toolCallId : null
  const [what, rows] = [whatOf(address, sent), rowsIn(sent)]
  // A question has none but samples of its tables.
  const rowsKind = rows === 0 ? undefined : what === 'question' ? 'files' : callId === null ? undefined : kindOf(callId)
  return {
    at: now().toISOString(),
    what,
    body,
    bytes: new TextEncoder().encode(body).length,
    rows,
    ...(rowsKind === undefined ? {} : { rowsKind }),
    level: level(),
    step: callId === null ? null : stepOf(callId),
  }
}

type Loose = Readonly<Record<string, unknown>>

// What is no object has none of the keys that are looked for.
const asRecord = (value: unknown): Loose => (typeof value === 'object' && value !== null ? (value as Loose) : {})

function whatOf(address: string, sent: Loose): SentEntry['what'] {
  if (address.endsWith(analyzeRoutes.toolResult.path)) return typeof sent.error === 'string' ? 'error' : 'result'
  return address.endsWith(analyzeRoutes.start.path) && sent.question !== undefined ? 'question' : 'other'
}

/** Of results their rows, of questions the sample rows of their tables. */
function rowsIn(sent: Loose): number {
  const counted = [asRecord(sent.result).rows, ...listOf(sent.tables).map((table) => asRecord(table).sample)]
  return counted.reduce<number>((sum, rows) => sum + listOf(rows).length, 0)
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
