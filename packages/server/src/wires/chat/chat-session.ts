// The session a client talks with: told to it as long as it is this one, and replaced by another when it starts anew.
import type { EventSink, SessionService } from '@quarterdeck/engine'
import {
  isBusyStatus,
  isClosedStatus,
  isQuarterdeckError,
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
import { beforeRunningTurn } from './running-turn.ts'
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
  /** `auto`, or a model's id. */
  readonly model: string
  /** Started by this client; `null` for one it joined. */
  readonly createdSeq: number | null
  readonly leave: () => void
}

/** What a client talks to, and the model by the name it is shown under. */
export interface Begun {
  readonly sessionId: SessionId
  readonly model: string
  readonly label: string
}

export type ChatSession = ReturnType<typeof createChatSession>

export function createChatSession(deps: ChatSessionDeps) {
  const { socket, sessions, principal, agent, empty } = deps
  let current: CurrentSession | null = null

  const send = (one: StreamChunk): boolean => socket.send(JSON.stringify(one))

  /** Tells everything after `after`, until the client leaves this session. */
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

  async function begin(model: string | undefined): Promise<Begun> {
    const models = await deps.models()
    const asked = { agent, mode: 'chat' as const, ...(model === undefined ? {} : { model }) }
    const { sessionId, appliedSeq } = await sessions.create(asked, principal.name)
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

  const stateOf = async (sessionId: SessionId): Promise<SessionState> => (await sessions.snapshot(sessionId)).session

  /** What this client started ends with its conversation. What it joined is not its own to end. */
  async function endSession({ sessionId, createdSeq }: CurrentSession): Promise<void> {
    if (createdSeq === null) return
    try {
      const { seq, status } = await stateOf(sessionId)
      // An empty one is deleted in time.
      if (seq === createdSeq || isClosedStatus(status)) return
      if (isBusyStatus(status) || status === 'queued') await sessions.cancel(sessionId, principal.name)
      else await sessions.close(sessionId, principal.name)
    } catch (error) {
      // Somebody else ended or deleted it meanwhile: it is over either way.
      if (!isQuarterdeckError(error)) deps.onFailure(error)
    }
  }

  return {
    send,
    /** Throws before anything of it is told. */
    async start(): Promise<void> {
      send(chunk('connected', greetingOf(agent), describe(await begin(undefined))))
    },
    /** The running turn is told from its beginning, what is still asked with it, then what comes. */
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
    /** A new session in place of this one. Where none can be started the old one goes on. */
    restart: (model?: string): Promise<Begun> => begin(model ?? current?.model),
    sessionId(): SessionId {
      if (current === null) throw new Error('the conversation has not begun')
      return current.sessionId
    },
    /** The client is gone. Its session is not: it waits, and answers whoever joins it. */
    end(): void {
      current?.leave()
      current = null
    },
  }
}

const both = (first: () => void, second: () => void) => () => {
  first()
  second()
}

/** What `connected`, `reset_complete` and `model_changed` tell of a session. */
export const describe = ({ sessionId, model, label }: Begun): JsonObject => ({
  model: modelInfo(model, label),
  session_id: sessionId,
})
