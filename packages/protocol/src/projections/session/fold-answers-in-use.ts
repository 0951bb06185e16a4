// Answers that the running turn was given. If its process dies before the agent continues with them, they are reported.
import type { EventOfType } from '../../events/session-event.ts'
import type { Unreported } from '../../events/unreported.ts'
import { askIdOf } from './ask.ts'
import { reportLater } from './fold-grants.ts'
import type { AnswerInUse, SessionState } from './session-state.ts'

/** A denied call has nothing to lose: it has not run, and it is asked for again. */
export function useAnswer(state: SessionState, toolUseId: string | null, report: Unreported): SessionState {
  if (state.turn === null || (report.type === 'decision' && !report.isAllowed)) return state
  return { ...state, answersInUse: [...state.answersInUse, { toolUseId, hasResult: false, report }] }
}

/** The call runs with an approval that was given while no process waited. */
export function useGrant(state: SessionState, { data }: EventOfType<'ApprovalUsed'>): SessionState {
  const grant = state.grants.find(({ approvalId }) => approvalId === data.approvalId)
  if (grant === undefined) return state
  return useAnswer(state, data.toolUseId, { type: 'decision', isAllowed: true, ...grant, note: null })
}

export const withoutAnswersOf = ({ answersInUse }: SessionState, toolUseId: string | null): AnswerInUse[] =>
  answersInUse.filter((one) => toolUseId === null || one.toolUseId !== toolUseId)

/** An allowed call that has its result has run. Answers stay: the process may not have stored them yet. */
export function executeTool(state: SessionState, { data }: EventOfType<'ToolExecuted'>): SessionState {
  const openTools = state.openTools.filter(({ toolUseId }) => toolUseId !== data.toolUseId)
  const isOver = ({ toolUseId, report }: AnswerInUse) =>
    (toolUseId === null ? openTools.length === 0 : toolUseId === data.toolUseId) &&
    (data.withoutResult !== true || isDeclined(report))
  const answersInUse = state.answersInUse
    .filter((one) => one.report.type !== 'decision' || !isOver(one))
    .map((one) => (isOver(one) ? { ...one, hasResult: true } : one))
  return { ...state, openTools, answersInUse }
}

/** A call whose question was declined ends without a result. */
const isDeclined = (report: Unreported): boolean => report.type === 'answer' && report.answers === null

/** The agent works with the results it has. */
export const continueWithResults = (state: SessionState): SessionState =>
  state.answersInUse.some(({ hasResult }) => hasResult)
    ? { ...state, answersInUse: state.answersInUse.filter(({ hasResult }) => !hasResult) }
    : state

export function missAnswer(state: SessionState, { data }: EventOfType<'AnswerMissed'>): SessionState {
  const id = askIdOf(data.answer)
  const answersInUse = state.answersInUse.filter(({ report }) => askIdOf(report) !== id)
  return reportLater({ ...state, answersInUse }, data.answer)
}
