// Records every byte that leaves for an analysis. The log on screen shows these records.
import { analysisOperations, asJsonObject, type PrivacyLevel, parseJson } from '@quarterdeck/protocol'
import type { RowsKind, SentEntry } from '../domain/analysis.ts'

export interface RecordingOptions {
  readonly level: () => PrivacyLevel
  /** The step of a call, if known. */
  readonly stepOf: (callId: string) => number | null
  /** The kind of rows in the result of a call, if judged. */
  readonly kindOf: (callId: string) => RowsKind | undefined
  /** Called before the request is sent. If it rejects, the request is not sent. */
  readonly onEntry: (entry: SentEntry) => void | Promise<void>
  readonly now?: () => Date
}

/** Wraps the `fetch` of a client. Records every attempt of a request with a body; others contain no data. */
export function createRecordingFetch(send: typeof fetch, options: RecordingOptions): typeof fetch {
  return async (input, init) => {
    const body = bodyOf(input, init)
    if (body !== null) await options.onEntry(entryOf(addressOf(input), body, options))
    return send(input, init)
  }
}

const addressOf = (input: RequestInfo | URL): string => new URL(String(input), 'http://localhost').pathname

/**
 * Our client sends text to URLs. Other bodies are refused, because they could not be recorded exactly. A Request may
 * have its own body besides the given one.
 */
function bodyOf(input: RequestInfo | URL, init: RequestInit | undefined): string | null {
  const body = init?.body ?? null
  if (!(input instanceof Request) && (body === null || typeof body === 'string')) return body
  throw new TypeError('requests of an analysis must have a text body')
}

function entryOf(address: string, body: string, options: RecordingOptions): SentEntry {
  const { level, stepOf, kindOf, now = () => new Date() } = options
  const sent = asJsonObject(parseJson(body))
  const callId = typeof sent.toolCallId === 'string' ? sent.toolCallId : null
  const [what, rows] = [whatOf(address, sent), rowsIn(sent)]
  // A question contains only sample rows of its tables.
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

function whatOf(address: string, sent: Loose): SentEntry['what'] {
  if (address.endsWith(analysisOperations.returnToolResult.path))
    return typeof sent.error === 'string' ? 'error' : 'result'
  return address.endsWith(analysisOperations.startAnalysis.path) && sent.question !== undefined ? 'question' : 'other'
}

/** The rows of a result, or the sample rows of a question. */
function rowsIn(sent: Loose): number {
  const counted = [asJsonObject(sent.result).rows, ...listOf(sent.tables).map((table) => asJsonObject(table).sample)]
  return counted.reduce<number>((sum, rows) => sum + listOf(rows).length, 0)
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
