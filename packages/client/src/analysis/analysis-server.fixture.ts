// A server of analyses with scripted answers.
import type { AnalysisEvent, AnalyzeBody, ClientCallId, SessionId, ToolResultBody } from '@quarterdeck/protocol'
import { type ErrorCode, QuarterdeckError } from '@quarterdeck/protocol'
import type { AnalysisConnection } from './analysis-connection.ts'

export const sessionId = 'ses_000001' as SessionId
export const callId = 'ctc_000001' as ClientCallId
const started = { sessionId, streamUrl: '/stream', toolToken: 'token' }
export const call: AnalysisEvent = { type: 'tool_call', id: callId, name: 'run_query', input: {} }
export const answer = { answer: 'Twelve.', chartType: 'bar' as const }
const usage = { inputTokens: 0, outputTokens: 0, units: 0, costUsd: 0 }
export const ending: readonly AnalysisEvent[] = [{ type: 'answer', result: { ...answer, usage } }, { type: 'done' }]
export const expired: AnalysisEvent = {
  type: 'error',
  message: 'nobody was there',
  code: 'session_expired',
  retryable: true,
}
export const refusal = (code: ErrorCode) => new QuarterdeckError(code, `refused: ${code}`)

/** No further events. */
export const over: readonly AnalysisEvent[] = []

/** Sends one list of events per connection. After a tool call it sends nothing until the result has been taken. */
export function fakeServer(connections: readonly (readonly AnalysisEvent[])[], refusals: readonly unknown[] = []) {
  const left = { connections: [...connections], refusals: [...refusals] }
  const given: ToolResultBody[] = []
  const starts: AnalyzeBody[] = []
  const cancelled: SessionId[] = []
  const opened: { readonly url: string; readonly after: string | null }[] = []
  let take: () => void = () => undefined
  const taken = new Promise<void>((resolve) => {
    take = resolve
  })
  const connection: AnalysisConnection = {
    start: async (body) => {
      starts.push(body)
      return started
    },
    open: async (url, after, signal) => {
      opened.push({ url, after })
      const events = left.connections.shift()
      if (events === undefined) throw new Error('too many connections')
      if (events === ending) await Promise.race([taken, aborted(signal)])
      if (events === over) return new Response(null, { status: 204 })
      return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    },
    returnResult: async (body) => {
      given.push(JSON.parse(JSON.stringify(body)))
      const next = left.refusals.shift()
      if (next !== undefined) throw next
      take()
    },
    cancel: async (id) => void cancelled.push(id),
  }
  return { connection, given, starts, cancelled, opened, left }
}

const aborted = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

export const backoff = { next: () => 0, reset: () => undefined }
