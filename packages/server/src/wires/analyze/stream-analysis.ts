// The stream of one question: events from its cursor on, then live, until its end.
import { allEvents } from '@quarterdeck/client'
import type { SessionService } from '@quarterdeck/engine'
import {
  type AnalysisCursor,
  type AnalysisEvent,
  finalAnswerTool,
  formatAnalysisCursor,
  parseAnalysisCursor,
  QuarterdeckError,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { Context } from 'hono'
import type { AppEnv } from '../../http/app-env.ts'
import { openSse, type SseContent } from '../../transports/open-sse.ts'
import type { WireDeps } from '../wire.ts'
import { expired } from './analysis-failure.ts'
import { type AnalysisFrame, createAnalysisReader } from './analysis-reader.ts'
import { isAtRest, isParked, readAnalysis } from './analysis-session.ts'
import type { AnalysisWatchers } from './analysis-watchers.ts'

export interface AnalysisDeps extends WireDeps {
  readonly watchers: AnalysisWatchers
}

export interface WantedStream {
  readonly sessions: SessionService
  readonly sessionId: SessionId
  /** The last event before the question; by default before the latest one. */
  readonly after: string | undefined
  /** The cursor of a returning reader. */
  readonly lastEventId: string | undefined
  /** Sent with the first event, if it was not returned before. */
  readonly toolToken?: string
  /** Also names the analysis to a returning reader, which may have been matched with another one. */
  readonly isGuessed?: boolean
}

export async function streamAnalysis(c: Context<AppEnv>, deps: AnalysisDeps, wanted: WantedStream): Promise<Response> {
  const { sessions, sessionId, lastEventId } = wanted
  const session = await readAnalysis(sessions, sessionId)
  const after = readCursor(wanted.after, session)?.seq ?? (await questionBegan(sessions, sessionId))
  const cursor = readCursor(lastEventId, session) ?? { seq: after, textLength: 0 }
  const isReported = (isAtRest(session.status) || isParked(session)) && cursor.seq >= session.seq
  // This status stops the EventSource of a browser from reconnecting.
  if (isReported && lastEventId !== undefined) return c.body(null, 204)
  const greets = lastEventId === undefined || wanted.isGuessed === true
  const first = greets ? [hello(wanted, cursor), ...(isReported ? [endFrame(session)] : [])] : []
  const prelude = encode([...first, ...sentAgain(session, cursor)])
  if (isReported) return openSse(c, deps, { feed: async () => undefined, prelude })
  const from = { sessionId, after: Math.min(after, cursor.seq) }
  return openSse(c, deps, { ...followed(deps, { sessions, session, cursor, from }), prelude })
}

interface Followed {
  readonly sessions: SessionService
  readonly session: SessionState
  readonly cursor: AnalysisCursor
  readonly from: { readonly sessionId: SessionId; readonly after: number }
}

function followed(deps: AnalysisDeps, { sessions, session, cursor, from }: Followed): SseContent {
  const reader = createAnalysisReader({ cursor, session, catalog: deps.catalog })
  const over = new AbortController()
  return {
    write(events) {
      const bytes = encode(events.flatMap((event) => reader.read(event)))
      if (reader.isOver()) over.abort()
      return bytes
    },
    async feed(sink, signal) {
      const leave = deps.watchers.watch(from.sessionId).listen()
      try {
        await sessions.feed({ ...from, signal: AbortSignal.any([signal, over.signal]) }, sink)
      } finally {
        leave()
      }
    },
  }
}

const hello = ({ sessionId, toolToken }: WantedStream, cursor: AnalysisCursor): AnalysisFrame => ({
  id: formatAnalysisCursor(cursor),
  event: { type: 'session', sessionId, ...(toolToken === undefined ? {} : { toolToken }) },
})

const endFrame = (session: SessionState): AnalysisFrame => ({
  id: null,
  event: isParked(session) && !isAtRest(session.status) ? expired : { type: 'done' },
})

/** A returning reader may have lost a call with its connection. Sent without a cursor. */
function sentAgain(session: SessionState, cursor: AnalysisCursor): readonly AnalysisFrame[] {
  const { clientCalls } = session
  if (isParked(session)) return []
  const lost = clientCalls.filter(({ seq, toolName }) => seq <= cursor.seq && toolName !== finalAnswerTool)
  return lost.map(({ callId: id, toolName: name, toolInput: input }) => {
    const event: AnalysisEvent = { type: 'tool_call', id, name, input, resent: true }
    return { id: null, event }
  })
}

/** No `event:` field: a plain EventSource listens to unnamed messages. */
const encode = (frames: readonly AnalysisFrame[]): Uint8Array =>
  Buffer.from(
    frames
      .map(({ id, event }) => {
        const lines = [id === null ? null : `id: ${id}`, event === null ? null : `data: ${JSON.stringify(event)}`]
        return `${lines.filter((line) => line !== null).join('\n')}\n\n`
      })
      .join(''),
  )

function readCursor(text: string | undefined, session: SessionState): AnalysisCursor | undefined {
  if (text === undefined) return undefined
  const cursor = parseAnalysisCursor(text)
  if (cursor === undefined) {
    throw new QuarterdeckError('cursor.malformed', `${JSON.stringify(text)} is not a cursor: use the id of an event`)
  }
  if (cursor.seq <= session.seq) return cursor
  const detail = `the log of ${session.sessionId} ends at ${session.seq}: start again without a cursor`
  throw new QuarterdeckError('cursor.beyond-log', detail, { facts: { lastSeq: session.seq } })
}

/** The last event before the latest question. */
export async function questionBegan(sessions: SessionService, sessionId: SessionId): Promise<number> {
  let began = 0
  for await (const event of allEvents((query) => sessions.readEvents(sessionId, query))) {
    if (event.type === 'UserMessageQueued' && event.data.origin === 'user') began = event.seq - 1
  }
  return began
}
