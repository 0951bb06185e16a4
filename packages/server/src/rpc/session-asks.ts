// Sends the asks of one session to the peer as requests: those open at the start, and new ones.
import {
  foldSession,
  isDurable,
  openAsks,
  type SessionState,
  type StreamedEvent,
  type SubscribeParams,
} from '@quarterdeck/protocol'
import type { NewRequest, OpenRequests } from './open-requests.ts'
import type { RpcId } from './read-message.ts'
import type { RpcHost } from './rpc-host.ts'

export interface SessionAsksDeps {
  readonly host: Pick<RpcHost, 'call'>
  readonly requests: OpenRequests
  readonly handles: SubscribeParams['handles']
  /** Whether the peer is this client of the session: it gets only the calls that it leads. */
  readonly isOwnClient: (clientId: string) => boolean
  readonly signal: AbortSignal
}

export type SessionAsks = ReturnType<typeof createSessionAsks>

/** `session` is the state so far: only later events count. */
export function createSessionAsks(session: SessionState, deps: SessionAsksDeps) {
  const asked = new Map<string, RpcId>()
  let state = session

  /** Sends the open asks. */
  function update(): void {
    const open = requestsFor(state, deps)
    for (const [id, requestId] of asked) {
      if (open.some((ask) => ask.id === id)) continue
      asked.delete(id)
      deps.requests.cancel(requestId)
    }
    for (const { id, isOwn, ...request } of open) {
      if (isOwn && !asked.has(id)) asked.set(id, deps.requests.ask(request))
    }
  }

  return {
    start: update,
    follow(events: readonly StreamedEvent[]) {
      if (deps.handles.length === 0) return
      const fresh = events.filter(isDurable).filter(({ seq }) => seq > state.seq)
      const folded = foldSession(state, fresh)
      if (fresh.length === 0 || folded === null) return
      state = folded
      update()
    },
    /** Cancels the requests without an answer. */
    stop() {
      for (const requestId of asked.values()) deps.requests.cancel(requestId)
      asked.clear()
    },
  }
}

/** The names of each kind of ask on this wire: in `handles`, of the request to the peer, and of the answering call. */
const names = {
  approval: { handled: 'approvals', method: 'approval.request', answer: 'session.approve', idField: 'approvalId' },
  question: { handled: 'questions', method: 'question.ask', answer: 'session.answer', idField: 'questionId' },
  'client-call': { handled: 'tools', method: 'tool.call', answer: 'session.toolResult', idField: 'callId' },
} as const

interface AskRequest extends NewRequest {
  readonly id: string
  readonly isOwn: boolean
}

function requestsFor(
  state: SessionState,
  { host, handles, isOwnClient, signal }: SessionAsksDeps,
): readonly AskRequest[] {
  const handled = openAsks(state).filter(({ kind }) => handles.includes(names[kind].handled))
  return handled.map(({ kind, id, request }) => {
    const { method, answer, idField } = names[kind]
    const isOwn = kind !== 'client-call' || (request.leader !== null && isOwnClient(request.leader))
    const settle = (result: unknown) => host.call(answer, { ...fieldsOf(result), [idField]: id }, signal)
    return { id, isOwn, method, params: request, settle }
  })
}

/** A value that is not an object has no fields; validation then reports them as missing. */
const fieldsOf = (result: unknown): object => (typeof result === 'object' && result !== null ? result : {})
