// The session of a chat client: streamed to it until it restarts with a new one.
import type { EventSink, SessionService } from '@quarterdeck/engine'
import {
  isClosedStatus,
  isQuarterdeckError,
  isUnfinishedStatus,
  type JsonObject,
  type ModelSummary,
  type Principal,
  type SessionId,
  type SessionState,
} from '@quarterdeck/protocol'
import type { Socket } from '../../transports/socket.ts'
import { labelOf, modelInfo } from './chat-models.ts'
import type { EmptySessions } from './empty-sessions.ts'
import { approvalChunk, createEventChunks, questionChunk } from './event-chunks.ts'
import { chunk, greetingOf, reasonOf, type StreamChunk } from './stream-chunk.ts'

export interface ChatSessionDeps {
  readonly socket: Socket
  readonly sessions: SessionService
  readonly principal: Principal
  readonly agent: string
  readonly models: () => Promise<readonly ModelSummary[]>
  readonly empty: EmptySessions
  readonly onFailure: (error: unknown) => void
}

interface CurrentSession {
  readonly sessionId: SessionId
  /** `auto`, or the id of a model. */
  readonly model: string
  /** Set if this client started it; `null` for a joined session. */
  readonly createdSeq: number | null
  readonly leave: () => void
}

/** The session of a client, with the label of its model. */
export interface ChatSessionInfo {
  readonly sessionId: SessionId
  readonly model: string
  readonly label: string
}

export type ChatSession = ReturnType<typeof createChatSession>

export function createChatSession(deps: ChatSessionDeps) {
  const { socket, sessions, principal, agent, empty } = deps
  let current: CurrentSession | null = null

  const send = (one: StreamChunk): boolean => socket.send(JSON.stringify(one))

  /** Sends everything after `after`, until the client leaves this session. */
  function listen(session: SessionState, models: readonly ModelSummary[], after: number): () => void {
    const left = new AbortController()
    const signal = AbortSignal.any([left.signal, socket.signal])
    const chunkOf = createEventChunks({ sessionId: session.sessionId, model: session.model, models })
    const sink: EventSink = {
      take(events) {
        let hasCapacity = true
        if (signal.aborted) return hasCapacity
        for (const event of events) {
          const one = chunkOf(event)
          if (one !== null) hasCapacity = send(one)
        }
        return hasCapacity
      },
      drained: socket.drained,
    }
    sessions.feed({ sessionId: session.sessionId, after, signal }, sink).catch((error: unknown) => {
      if (signal.aborted) return
      deps.onFailure(error)
      send(chunk('error', `Error: ${reasonOf(error)}`))
    })
    return () => left.abort()
  }

  async function begin(model: string | undefined): Promise<ChatSessionInfo> {
    const models = await deps.models()
    const asked = { agent, mode: 'chat' as const, ...(model === undefined ? {} : { model }) }
    const { sessionId, appliedSeq } = await sessions.createSession(asked, principal.name)
    const leaveEmpty = empty.started(principal, sessionId, appliedSeq)
    const session = await stateOf(sessionId).catch((error: unknown) => {
      leaveEmpty()
      throw error
    })
    const old = current
    old?.leave()
    const stop = listen(session, models, appliedSeq)
    current = { sessionId, model: session.model, createdSeq: appliedSeq, leave: both(stop, leaveEmpty) }
    if (old !== null) await endSession(old)
    return { sessionId, model: session.model, label: labelOf(session.model, models) }
  }

  const stateOf = async (sessionId: SessionId): Promise<SessionState> => (await sessions.getSession(sessionId)).session

  /** A session that this client started ends with its conversation; a joined one does not. */
  async function endSession({ sessionId, createdSeq }: CurrentSession): Promise<void> {
    if (createdSeq === null) return
    try {
      const { seq, status } = await stateOf(sessionId)
      // An empty session is deleted later.
      if (seq === createdSeq || isClosedStatus(status)) return
      if (isUnfinishedStatus(status)) await sessions.cancel(sessionId, principal.name)
      else await sessions.close(sessionId, principal.name)
    } catch (error) {
      // It was ended or deleted elsewhere meanwhile.
      if (!isQuarterdeckError(error)) deps.onFailure(error)
    }
  }

  return {
    send,
    /** Throws before anything is sent. */
    async start(): Promise<void> {
      send(chunk('connected', greetingOf(agent), describe(await begin(undefined))))
    },
    /** Sends the running turn from its start with its open asks, then live events. */
    async join(session: SessionState): Promise<void> {
      const { sessionId, model } = session
      const leaveEmpty = empty.joined(sessionId)
      current = { sessionId, model, createdSeq: null, leave: leaveEmpty }
      const models = await deps.models()
      const after = await beforeRunningTurn(sessions, session)
      const metadata = describe({ sessionId, model, label: labelOf(model, models) })
      send(chunk('connected', greetingOf(agent), { ...metadata, joined: true }))
      for (const approval of session.approvals) if (approval.seq <= after) send(approvalChunk(approval))
      for (const question of session.questions) if (question.seq <= after) send(questionChunk(question))
      current = { ...current, leave: both(listen(session, models, after), leaveEmpty) }
    },
    /** Replaces this session with a new one. If none can be started, the old one stays. */
    restart: (model?: string): Promise<ChatSessionInfo> => begin(model ?? current?.model),
    sessionId(): SessionId {
      if (current === null) throw new Error('the conversation has not begun')
      return current.sessionId
    },
    /** The client has left. Its session stays and can be joined. */
    end(): void {
      current?.leave()
      current = null
    },
  }
}

const pageSize = 200

/** The last event before the running turn, or the last event if no turn runs. */
async function beforeRunningTurn(sessions: SessionService, session: SessionState): Promise<number> {
  const { sessionId, seq, turn } = session
  if (turn === null) return seq
  for (let end = seq; end > 0; end -= pageSize) {
    const after = Math.max(0, end - pageSize)
    const { events } = await sessions.readEvents(sessionId, {
      after: String(after),
      limit: Math.min(pageSize, end - after),
    })
    const started = events.find((event) => event.type === 'TurnStarted' && event.turnId === turn.turnId)
    if (started !== undefined) return started.seq - 1
  }
  return seq
}

const both = (first: () => void, second: () => void) => () => {
  first()
  second()
}

/** The session in `connected`, `reset_complete` and `model_changed`. */
export const describe = ({ sessionId, model, label }: ChatSessionInfo): JsonObject => ({
  model: modelInfo(model, label),
  session_id: sessionId,
})
