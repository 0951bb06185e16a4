// The life cycle of asks: opened, taken up by another turn, settled. An answer without a process is reported later.
import { type AskAnswered, type AskExpired, type AskOpened, type AskTakenUp, askIdOf, findAsk } from './ask.ts'
import { buildReport } from './build-report.ts'
import { useAnswer, withoutAnswersOf } from './fold-answers-in-use.ts'
import { reportLater } from './fold-grants.ts'
import { historyLimit, type SessionState } from './session-state.ts'

export function openAsk(state: SessionState, event: AskOpened): SessionState {
  const { sessionId, seq, at, agent, turnId = null } = event
  const asked = { sessionId, seq, at, agent, turnId }
  // A call that asks again has used its earlier answer, as a client call does with its approval.
  const answersInUse = withoutAnswersOf(state, event.data.toolUseId)
  switch (event.type) {
    case 'ApprovalRequested': {
      const approvals = [...state.approvals, { ...event.data, ...asked }]
      return { ...state, answersInUse, approvals, activity: `Wants to use ${event.data.toolName}` }
    }
    case 'QuestionAsked': {
      const questions = [...state.questions, { ...event.data, ...asked }]
      return { ...state, answersInUse, questions, activity: 'Asks a question' }
    }
    case 'ClientToolCalled': {
      const clientCalls = [...state.clientCalls, { ...event.data, ...asked }]
      return { ...state, answersInUse, clientCalls, activity: `Waits for ${event.data.toolName}` }
    }
  }
}

type OpenRequest = SessionState['approvals' | 'questions' | 'clientCalls'][number]

/** The answer now belongs to the turn of the event, and to its call. */
export function takeUpAsk(state: SessionState, event: AskTakenUp): SessionState {
  const { turnId = null } = event
  const id = askIdOf(event.data)
  const { toolUseId } = event.data
  const moved = { turnId, ...(toolUseId === undefined ? {} : { toolUseId }) }
  const move = <Request extends OpenRequest>(request: Request): Request =>
    askIdOf(request) === id ? { ...request, ...moved } : request
  return {
    ...state,
    approvals: state.approvals.map(move),
    questions: state.questions.map(move),
    clientCalls: state.clientCalls.map(move),
  }
}

export function settleAsk(state: SessionState, event: AskAnswered | AskExpired): SessionState {
  const ask = findAsk(state, askIdOf(event.data))
  const settled = record(withoutAsk(state, askIdOf(event.data)), event)
  const report = ask === undefined ? null : buildReport(ask, event)
  const named = event.type === 'ClientToolReturned' && ask?.kind === 'client-call' ? ask.request.toolName : null
  const noted = named === null ? settled : { ...settled, activity: `Got the result of ${named}` }
  if (ask === undefined || report === null) return noted
  if (!isReceived(state, event, ask.request.turnId)) return reportLater(noted, report)
  return useAnswer(noted, ask.request.toolUseId, report)
}

function withoutAsk(state: SessionState, id: ReturnType<typeof askIdOf>): SessionState {
  const isLeft = (request: OpenRequest) => askIdOf(request) !== id
  return {
    ...state,
    approvals: state.approvals.filter(isLeft),
    questions: state.questions.filter(isLeft),
    clientCalls: state.clientCalls.filter(isLeft),
  }
}

/** A running turn gets the answer at once. An ask that expires because its turn ends has no turn to report to. */
function isReceived({ turn }: SessionState, event: AskAnswered | AskExpired, askedIn: string | null): boolean {
  if ('wasLive' in event.data) return event.data.wasLive
  return askedIn === turn?.turnId || (event.turnId !== undefined && event.turnId === askedIn)
}

/** How the ask was settled, so that a second answer can be refused with the first one. */
function record(state: SessionState, event: AskAnswered | AskExpired): SessionState {
  const { at } = event
  switch (event.type) {
    case 'ApprovalDecided': {
      const { approvalId, decision, by, rule } = event.data
      const decided = [...state.decided, { approvalId, decision, by, at }].slice(-historyLimit)
      return { ...state, decided, rules: rule === null ? state.rules : [...state.rules, rule] }
    }
    case 'ApprovalExpired': {
      const expired = { ...event.data, decision: 'expired', by: 'clock', at } as const
      return { ...state, decided: [...state.decided, expired].slice(-historyLimit) }
    }
    case 'QuestionAnswered': {
      const { questionId: id, answers, by } = event.data
      return withSettled(state, { id, how: answers === null ? 'declined' : 'answered', by, at })
    }
    case 'ClientToolReturned':
      return withSettled(state, { id: event.data.callId, how: 'returned', by: event.data.by, at })
    case 'QuestionExpired':
      return withSettled(state, { id: event.data.questionId, how: 'expired', by: 'clock', at })
    case 'ClientToolExpired':
      return withSettled(state, { id: event.data.callId, how: 'expired', by: 'clock', at })
  }
}

const withSettled = (state: SessionState, settled: SessionState['settled'][number]): SessionState => ({
  ...state,
  settled: [...state.settled, settled].slice(-historyLimit),
})
