// Questions to people and calls to clients: open ones, and answers.
import type { EventOfType } from '../../events/session-event.ts'
import type { Unreported, UnreportedAnswer, UnreportedResult } from '../../events/unreported.ts'
import {
  type AttachedClient,
  historyLimit,
  type OpenClientCall,
  type OpenQuestion,
  type SessionState,
  type SettledAsk,
} from './session-state.ts'

export function askQuestion(state: SessionState, event: EventOfType<'QuestionAsked'>): SessionState {
  const { sessionId, seq, at, agent, turnId } = event
  const question = { ...event.data, sessionId, seq, at, agent, turnId: turnId ?? null }
  return { ...state, questions: [...state.questions, question], activity: 'Asks a question' }
}

export function answerQuestion(state: SessionState, event: EventOfType<'QuestionAnswered'>): SessionState {
  const { questionId, answers, by, wasLive } = event.data
  const question = state.questions.find((open) => open.questionId === questionId)
  const how = answers === null ? 'declined' : 'answered'
  const settled = settleQuestion(state, { id: questionId, how, by, at: event.at })
  return wasLive || question === undefined ? settled : withUnreported(settled, unreportedAnswer(question, event.data))
}

/** An answer without a waiting process, which the agent learns when it wakes. */
export function unreportedAnswer(
  question: OpenQuestion,
  answered: EventOfType<'QuestionAnswered'>['data'],
): UnreportedAnswer {
  const { questionId, message, items, seq } = question
  return { type: 'answer', seq, questionId, message, items, answers: answered.answers, note: answered.note }
}

export function takeUpQuestion(state: SessionState, { data, turnId }: EventOfType<'QuestionTakenUp'>): SessionState {
  const questions = state.questions.map((open) =>
    open.questionId === data.questionId ? { ...open, turnId: turnId ?? null } : open,
  )
  return { ...state, questions }
}

export function settleQuestion(state: SessionState, settled: SettledAsk): SessionState {
  const questions = state.questions.filter(({ questionId }) => questionId !== settled.id)
  return { ...withSettled(state, settled), questions }
}

export function attachClient(state: SessionState, event: EventOfType<'ClientAttached'>): SessionState {
  const { clientId, tools } = event.data
  const client = { clientId, tools, at: event.at }
  const isKnown = state.clients.some((one) => one.clientId === clientId)
  const clients = isKnown
    ? state.clients.map((one) => (one.clientId === clientId ? client : one))
    : [...state.clients, client]
  return withClients(state, clients)
}

export const detachClient = (state: SessionState, { data }: EventOfType<'ClientDetached'>): SessionState =>
  withClients(
    state,
    state.clients.filter(({ clientId }) => clientId !== data.clientId),
  )

/** The client that runs a tool: the first one that offers it. */
export const leaderOf = (clients: readonly AttachedClient[], toolName: string): string | null =>
  clients.find(({ tools }) => tools.some(({ name }) => name === toolName))?.clientId ?? null

/** Open calls go to the client that leads now. */
const withClients = (state: SessionState, clients: AttachedClient[]): SessionState => ({
  ...state,
  clients,
  clientCalls: state.clientCalls.map((call) => ({ ...call, leader: leaderOf(clients, call.toolName) })),
})

export function callClient(state: SessionState, event: EventOfType<'ClientToolCalled'>): SessionState {
  const { sessionId, seq, at, agent, turnId } = event
  const call = { ...event.data, sessionId, seq, at, agent, turnId: turnId ?? null }
  return { ...state, clientCalls: [...state.clientCalls, call], activity: `Waits for ${event.data.toolName}` }
}

export function returnClientCall(state: SessionState, event: EventOfType<'ClientToolReturned'>): SessionState {
  const { callId, by, wasLive } = event.data
  const call = state.clientCalls.find((open) => open.callId === callId)
  const settled = settleClientCall(state, { id: callId, how: 'returned', by, at: event.at })
  if (call === undefined) return settled
  const received = { ...settled, activity: `Got the result of ${call.toolName}` }
  return wasLive ? received : withUnreported(received, unreportedResult(call, event.data))
}

/** A result without a waiting process, which the agent learns when it wakes. */
export function unreportedResult(
  call: OpenClientCall,
  returned: Pick<EventOfType<'ClientToolReturned'>['data'], 'output' | 'isError'>,
): UnreportedResult {
  const { callId, toolName, toolInput, inputHash, seq } = call
  const made = { toolName, toolInput, ...(inputHash === undefined ? {} : { inputHash }) }
  return { type: 'result', seq, callId, ...made, output: returned.output, isError: returned.isError }
}

export function takeUpClientCall(
  state: SessionState,
  { data, turnId }: EventOfType<'ClientToolTakenUp'>,
): SessionState {
  const clientCalls = state.clientCalls.map((open) =>
    open.callId === data.callId ? { ...open, turnId: turnId ?? null } : open,
  )
  return { ...state, clientCalls }
}

/** The result of a call that no client answered. */
export const lateResult = { output: 'No client returned a result in time.', isError: true } as const

/**
 * A waiting turn gets it at once. Without one the agent learns it when it wakes, unless the call ended with its turn.
 */
export function expireClientCall(state: SessionState, event: EventOfType<'ClientToolExpired'>): SessionState {
  const { callId } = event.data
  const call = state.clientCalls.find((open) => open.callId === callId)
  const settled = settleClientCall(state, { id: callId, how: 'expired', by: 'clock', at: event.at })
  if (call === undefined || call.turnId === state.turn?.turnId) return settled
  const endedWithTurn = event.turnId !== undefined && event.turnId === call.turnId
  return endedWithTurn ? settled : withUnreported(settled, unreportedResult(call, lateResult))
}

function settleClientCall(state: SessionState, settled: SettledAsk): SessionState {
  const clientCalls = state.clientCalls.filter(({ callId }) => callId !== settled.id)
  return { ...withSettled(state, settled), clientCalls }
}

const withSettled = (state: SessionState, settled: SettledAsk): SessionState => ({
  ...state,
  settled: [...state.settled, settled].slice(-historyLimit),
})

const withUnreported = (state: SessionState, unreported: Unreported): SessionState => ({
  ...state,
  unreported: [...state.unreported, unreported],
})
