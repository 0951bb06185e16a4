// A turn's beginning, its end, and what a crash makes of it.
import {
  assertNever,
  countTurn,
  draft,
  type EndTurn,
  type EventDraft,
  errorReasons,
  type InterruptTurn,
  type RecoverSession,
  type SessionState,
  type SessionStatus,
  type StartTurn,
  type TurnOutcome,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { emptyResult } from '../backends/empty-result.ts'
import { requireTurn } from './invariants.ts'
import { completed } from './session-completed.ts'
import { expireAll, moveTo } from './status-drafts.ts'
import { wake } from './wake-message.ts'

export function startTurn(state: SessionState, command: StartTurn): readonly EventDraft[] {
  const message = state.queued[0]
  if (message === undefined) return []
  if (state.costUsd >= state.limits.maxBudgetUsd) return refuseForMoney(state)
  const { turnId } = command
  const { messageId } = message
  return [
    { ...moveTo(state, 'running'), turnId },
    draft('TurnStarted', { messageIds: [messageId], model: state.model }, { turnId }),
    draft('UserMessageDelivered', { messageId }, { turnId }),
  ]
}

/** The message stays queued: it was not delivered, and no turn was made of it. */
function refuseForMoney(state: SessionState): readonly EventDraft[] {
  if (state.status === 'stopped_budget') return []
  const limitUsd = state.limits.maxBudgetUsd
  return [
    draft('AgentSessionBudgetExceeded', { totalCostUsd: state.costUsd, limitUsd }),
    moveTo(state, 'stopped_budget', errorReasons.budget),
  ]
}

export function interruptTurn(state: SessionState, command: InterruptTurn): readonly EventDraft[] {
  return [moveTo(requireTurn(state), 'interrupting', `by ${command.by}`)]
}

export function endTurn(state: SessionState, command: EndTurn): readonly EventDraft[] {
  const turnId = requireTurn(state).turn?.turnId
  const place = turnId === undefined ? {} : { turnId }
  const over = command.keepsApprovals ? [] : state.approvals.filter((approval) => approval.turnId === turnId)
  const untold = new Set(state.untold.map(({ approvalId }) => approvalId))
  const unused = state.grants.filter(({ approvalId }) => !untold.has(approvalId))
  const stillOpen = state.approvals.length - over.length
  const woken = wakeIfAllAnswered(state, stillOpen, command.wakeMessageId)
  const isDone = command.ended.data.outcome === 'completed' && woken.length === 0 && isFinished(state, stillOpen)
  return [
    ...over.map(({ approvalId, agent }) => draft('ApprovalExpired', { approvalId }, { agent, ...place })),
    ...unused.map(({ approvalId }) => draft('ApprovalUnused', { approvalId }, place)),
    { ...command.ended, ...place },
    ...(isDone ? [completeTask(state, command)] : consequences(state, command)),
    ...woken,
    ...rest(state, isDone ? 'completed' : restingStatus(command.ended.data.outcome), {
      isWaiting: stillOpen > 0,
      hasMore: woken.length > 0 || state.queued.length > 0,
    }),
  ]
}

/** What was decided while the turn ran and the agent did not find out by itself. */
const wakeIfAllAnswered = (state: SessionState, stillOpen: number, messageId: UserMessageId): readonly EventDraft[] =>
  stillOpen > 0 || state.status === 'cancelling' ? [] : wake(state.untold, messageId)

const isFinished = (state: SessionState, openApprovals: number): boolean =>
  state.mode === 'task' && state.queued.length === 0 && openApprovals === 0 && state.status !== 'cancelling'

function completeTask(state: SessionState, command: EndTurn): EventDraft {
  const done = completed(countTurn(state, command.ended.data))
  const { structuredOutput } = command.ended.data.result
  return structuredOutput === null ? done : { ...done, data: { ...done.data, structuredOutput } }
}

function consequences(state: SessionState, command: EndTurn): readonly EventDraft[] {
  const { outcome, result } = command.ended.data
  switch (outcome) {
    case 'completed':
    case 'interrupted':
      return []
    case 'turn_limit':
      return [draft('AgentSessionTurnLimitReached', { numTurns: result.numTurns, limit: state.limits.maxTurns })]
    case 'budget_limit': {
      const limitUsd = state.limits.maxBudgetUsd
      return [draft('AgentSessionBudgetExceeded', { totalCostUsd: state.costUsd, limitUsd })]
    }
    case 'failed':
    case 'crashed':
    case 'timeout': {
      const reason = result.errorReason ?? outcome
      return [draft('AgentSessionFailed', { reason, errors: result.response === '' ? [] : [result.response] })]
    }
    default:
      return assertNever(outcome)
  }
}

function restingStatus(outcome: TurnOutcome): SessionStatus {
  switch (outcome) {
    case 'completed':
      return 'idle'
    case 'turn_limit':
      return 'stopped_turns'
    case 'budget_limit':
      return 'stopped_budget'
    case 'failed':
    case 'crashed':
    case 'timeout':
      return 'failed'
    case 'interrupted':
      return 'interrupted'
    default:
      return assertNever(outcome)
  }
}

function rest(
  state: SessionState,
  status: SessionStatus,
  { isWaiting, hasMore }: { readonly isWaiting: boolean; readonly hasMore: boolean },
): readonly EventDraft[] {
  if (state.status === 'cancelling') return [] // the second phase of the cancel says where it ends
  // Somebody's answer is still wanted, and more so than whatever else became of the turn.
  const next = isWaiting ? 'waiting_approval' : hasMore ? 'queued' : status
  return next === state.status ? [] : [moveTo(state, next)]
}

/** After the server died: the turn is over, what was seen is kept, what was asked stays open. */
export function recoverSession(state: SessionState, command: RecoverSession): readonly EventDraft[] {
  const place = state.turn === null ? {} : { turnId: state.turn.turnId }
  const discarded = command.openTexts.map(({ messageId, agent, text }) =>
    draft('AgentStreamDiscarded', { messageId, text, reason: 'the server stopped' }, { agent, ...place }),
  )
  if (state.turn === null && state.status !== 'cancelling') return discarded
  const waiting = new Set(state.approvals.map(({ toolUseId }) => toolUseId))
  const recovered = draft('AgentSessionRecovered', {
    interruptedTurn: state.turn !== null,
    outcomeUnknown: state.openTools
      .filter(({ toolUseId }) => !waiting.has(toolUseId))
      .map(({ toolUseId, toolName }) => ({ toolUseId, toolName })),
    openApprovals: state.status === 'cancelling' ? 0 : state.approvals.length,
  })
  const ended = state.turn === null ? [] : [{ ...interruptedTurn(state, state.turn.startedAt), ...place }]
  if (state.status === 'cancelling')
    return [...discarded, ...ended, recovered, ...expireAll(state), moveTo(state, 'cancelled')]
  const woken = wakeIfAllAnswered(state, state.approvals.length, command.wakeMessageId)
  const next = { isWaiting: state.approvals.length > 0, hasMore: woken.length > 0 || state.queued.length > 0 }
  return [...discarded, ...ended, recovered, ...woken, ...rest(state, 'interrupted', next)]
}

/** Its working time is what the log shows of it: from its start to the last thing it did. */
const interruptedTurn = (state: SessionState, startedAt: string) =>
  draft('TurnEnded', {
    outcome: 'interrupted',
    result: { ...emptyResult, isError: true, errorReason: errorReasons.interrupted },
    durationMs: Math.max(0, Date.parse(state.updatedAt) - Date.parse(startedAt)),
    durationApiMs: 0,
    reportedCostUsd: null,
    modelUsage: {},
    permissionDenials: [],
  })
