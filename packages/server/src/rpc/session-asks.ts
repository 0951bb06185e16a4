// The asks of one session, put to the other end as requests: what is open when it begins, and what comes.
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
  /** Whether the other end is this client of the session: only the calls it leads are its own. */
  readonly isOwnClient: (clientId: string) => boolean
  readonly signal: AbortSignal
}

export interface SessionAsks {
  /** Asks what is open. */
  start(): void
  follow(events: readonly StreamedEvent[]): void
  /** Takes back what has no answer yet. */
  stop(): void
}

/** `session` is what the log says so far: of what comes, only what it does not know yet counts. */
export function createSessionAsks(session: SessionState, deps: SessionAsksDeps): SessionAsks {
  const asked = new Map<string, RpcId>()
  let state = session

  function look(): void {
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
    start: look,
    follow(events) {
      if (deps.handles.length === 0) return
      const fresh = events.filter(isDurable).filter(({ seq }) => seq > state.seq)
      const folded = foldSession(state, fresh)
      if (fresh.length === 0 || folded === null) return
      state = folded
      look()
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

/** What is no object has no fields: whoever judges the result then misses them. */
const fieldsOf = (result: unknown): object => (typeof result === 'object' && result !== null ? result : {})
