// Sends the asks of one session to the peer as requests: those open at the start, and new ones.
import {
  foldSession,
  isDurable,
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

export interface SessionAsks {
  /** Sends the open asks. */
  start(): void
  follow(events: readonly StreamedEvent[]): void
  /** Cancels the requests without an answer. */
  stop(): void
}

/** `session` is the state so far: only later events count. */
export function createSessionAsks(session: SessionState, deps: SessionAsksDeps): SessionAsks {
  const asked = new Map<string, RpcId>()
  let state = session

  function update(): void {
    const open = openAsks(state, deps)
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
    follow(events) {
      if (deps.handles.length === 0) return
      const fresh = events.filter(isDurable).filter(({ seq }) => seq > state.seq)
      const folded = foldSession(state, fresh)
      if (fresh.length === 0 || folded === null) return
      state = folded
      update()
    },
    stop() {
      for (const requestId of asked.values()) deps.requests.cancel(requestId)
      asked.clear()
    },
  }
}

interface OpenAsk extends NewRequest {
  readonly id: string
  readonly isOwn: boolean
}

function openAsks(state: SessionState, { host, handles, isOwnClient, signal }: SessionAsksDeps): readonly OpenAsk[] {
  const approvals = !handles.includes('approvals') ? [] : state.approvals
  const questions = !handles.includes('questions') ? [] : state.questions
  const calls = !handles.includes('tools') ? [] : state.clientCalls
  return [
    ...approvals.map((params) => {
      const { approvalId } = params
      const settle = (result: unknown) => host.call('session.approve', { ...fieldsOf(result), approvalId }, signal)
      return { id: approvalId, isOwn: true, method: 'approval.request', params, settle } as const
    }),
    ...questions.map((params) => {
      const { questionId } = params
      const settle = (result: unknown) => host.call('session.answer', { ...fieldsOf(result), questionId }, signal)
      return { id: questionId, isOwn: true, method: 'question.ask', params, settle } as const
    }),
    ...calls.map((params) => {
      const { callId, leader } = params
      const settle = (result: unknown) => host.call('session.toolResult', { ...fieldsOf(result), callId }, signal)
      return { id: callId, isOwn: leader !== null && isOwnClient(leader), method: 'tool.call', params, settle } as const
    }),
  ]
}

/** A value that is not an object has no fields; validation then reports them as missing. */
const fieldsOf = (result: unknown): object => (typeof result === 'object' && result !== null ? result : {})
