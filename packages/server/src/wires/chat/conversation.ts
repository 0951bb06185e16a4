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
import { modelInfo } from './chat-models.ts'
import { approvalChunk, createEventChunks, questionChunk } from './event-chunks.ts'
import { chunk, reasonOf, type StreamChunk } from './stream-chunk.ts'

export interface ConversationDeps {
  readonly socket: Socket
  readonly sessions: SessionService
  readonly principal: Principal
  readonly agent: string
  readonly models: () => Promise<readonly ModelSummary[]>
  /** A session of this client that it has left, with the last event it knows of: it may be empty. */
  readonly onLeft: (sessionId: SessionId, seq: number) => void
  readonly onFailure: (error: unknown) => void
}

interface Place {
  readonly sessionId: SessionId
  /** `auto`, or a model's id. */
  readonly model: string
  /** Started by this client; `null` for one it joined. */
  readonly createdSeq: number | null
  readonly leave: () => void
}

export type Conversation = ReturnType<typeof createConversation>

export function createConversation(deps: ConversationDeps) {
  const { socket, sessions, principal, agent } = deps
  let place: Place | null = null

  const send = (one: StreamChunk): boolean => socket.send(JSON.stringify(one))

  /** Tells everything after `after`, until the client leaves this session. */
  function listen(session: SessionState, models: readonly ModelSummary[], after: number): () => void {
    const left = new AbortController()
    const signal = AbortSignal.any([left.signal, socket.signal])
    const chunkOf = createEventChunks({ sessionId: session.sessionId, model: session.model, models })
    const sink: EventSink = {
      take(events) {
        let hasRoom = true
        if (signal.aborted) return hasRoom
        for (const event of events) {
          const one = chunkOf(event)
          if (one !== null) hasRoom = send(one)
        }
        return hasRoom
      },
      room: socket.room,
    }
    sessions.feed({ sessionId: session.sessionId, after, signal }, sink).catch((error: unknown) => {
      if (signal.aborted) return
      deps.onFailure(error)
      send(chunk('error', `Error: ${reasonOf(error)}`))
    })
    return () => left.abort()
  }

  async function begin(model: string | undefined): Promise<SessionState> {
    const models = await deps.models()
    const asked = { agent, mode: 'chat' as const, ...(model === undefined ? {} : { model }) }
    const { sessionId, appliedSeq } = await sessions.create(asked, principal.name)
    const { session } = await sessions.snapshot(sessionId)
    const old = place
    old?.leave()
    const leave = listen(session, models, appliedSeq)
    place = { sessionId, model: session.model, createdSeq: appliedSeq, leave }
    if (old !== null) await putAway(old)
    return session
  }

  /** What this client started ends with its conversation. What it joined is not its own to end. */
  async function putAway({ sessionId, createdSeq }: Place): Promise<void> {
    if (createdSeq === null) return
    try {
      const { session } = await sessions.snapshot(sessionId)
      if (session.seq === createdSeq) deps.onLeft(sessionId, createdSeq)
      else if (isBusyStatus(session.status) || session.status === 'queued')
        await sessions.cancel(sessionId, principal.name)
      else if (!isClosedStatus(session.status)) await sessions.close(sessionId, principal.name)
    } catch (error) {
      // Somebody else ended or deleted it meanwhile: it is over either way.
      if (!isQuarterdeckError(error)) deps.onFailure(error)
    }
  }

  return {
    send,
    /** Throws before anything of it is told. */
    async start(): Promise<JsonObject> {
      return describe(await begin(undefined), await deps.models())
    },
    /** The running turn is told from its beginning, what is still asked with it, then what comes. */
    async join(session: SessionState, after: number): Promise<void> {
      const models = await deps.models()
      for (const approval of session.approvals) if (approval.seq <= after) send(approvalChunk(approval))
      for (const question of session.questions) if (question.seq <= after) send(questionChunk(question))
      place = { ...session, createdSeq: null, leave: listen(session, models, after) }
    },
    /** A new session in place of this one. Where none can be started the old one goes on. */
    async restart(model?: string): Promise<JsonObject> {
      return describe(await begin(model ?? place?.model), await deps.models())
    },
    sessionId(): SessionId {
      if (place === null) throw new Error('the conversation has not begun')
      return place.sessionId
    },
    /** The client is gone. Its session is not: it waits, and answers whoever joins it. */
    end(): void {
      place?.leave()
      if (place !== null && place.createdSeq !== null) deps.onLeft(place.sessionId, place.createdSeq)
    },
  }
}

/** What `connected` and `model_changed` tell of a session. */
export const describe = ({ sessionId, model }: SessionState, models: readonly ModelSummary[]): JsonObject => ({
  model: modelInfo(model, models),
  session_id: sessionId,
})
