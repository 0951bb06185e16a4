// The start and the end of a turn, and its recovery after a crash.
import {
  type Ask,
  assertNever,
  countTurn,
  draft,
  type EndTurn,
  type EventDraft,
  type ExecutionResult,
  errorReasons,
  formatDuration,
  type InterruptTurn,
  isOutOfTime,
  type LimitStop,
  type Limits,
  openAsks,
  type RecoverSession,
  reasonBy,
  type SessionState,
  type SessionStatus,
  type StartTurn,
  type Unreported,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { emptyResult, nothingUsed } from '../../backends/empty-result.ts'
import { mayHaveRun } from './ask-kinds/approval.ts'
import { strategyOfReport } from './ask-kinds/ask-strategies.ts'
import { continueWork } from './decide-control.ts'
import { requireTurn } from './invariants.ts'
import { completed, expireAll, isHeld, isWaitingStatus, moveTo, waitingStatus } from './status-drafts.ts'
import { wake } from './wake-message.ts'

/** No turn starts in a session that was paused, cancelled or closed since the turn was planned. */
export function startTurn(state: SessionState, command: StartTurn): readonly EventDraft[] {
  const message = state.queued[0]
  if (message === undefined || isHeld(state.status)) return []
  if (command.stop !== undefined || state.costUsd >= state.limits.maxBudgetUsd)
    return refuseForMoney(state, command.stop)
  if (isOutOfTime(state)) return [outOfTime(state), moveTo(state, 'failed', errorReasons.timeout)]
  const { turnId, choice } = command
  const { messageId } = message
  return [
    ...(state.isHibernated ? [draft('AgentSessionWoken', { reason: 'message' })] : []),
    { ...moveTo(state, 'running'), turnId },
    ...(choice === undefined ? [] : [draft('ModelChosen', { ...choice }, { turnId })]),
    draft(
      'TurnStarted',
      { messageIds: [...state.unsaved.map((one) => one.messageId), messageId], model: choice?.model ?? state.model },
      { turnId },
    ),
    draft('UserMessageDelivered', { messageId }, { turnId }),
  ]
}

/** The message stays queued: it was not delivered, and no turn was started. */
function refuseForMoney(state: SessionState, stop: LimitStop | undefined): readonly EventDraft[] {
  if (state.status === 'stopped_budget') return []
  return [budgetExceeded(state, stop), moveTo(state, 'stopped_budget', stopReason(stop))]
}

const outOfTime = ({ limits }: SessionState): EventDraft =>
  draft('AgentSessionFailed', {
    reason: errorReasons.timeout,
    errors: [`the session has worked for ${formatDuration(limits.maxDurationMs)}, its limit: raise it to continue`],
  })

const turnOutOfTime = ({ ended }: EndTurn): EventDraft => {
  const worked = formatDuration(ended.data.durationMs)
  const sentence = `the turn has worked for ${worked}, the limit of a turn (execution.llm_timeout): the session continues`
  return draft('AgentSessionFailed', { reason: errorReasons.timeout, errors: [sentence] })
}

const budgetExceeded = (state: SessionState, stop: LimitStop | undefined): EventDraft =>
  draft('AgentSessionBudgetExceeded', {
    totalCostUsd: state.costUsd,
    limitUsd: state.limits.maxBudgetUsd,
    ...(stop?.budget === undefined ? {} : { budget: stop.budget }),
    ...(stop?.budgetId === undefined ? {} : { budgetId: stop.budgetId }),
    ...(stop?.sum === undefined ? {} : { sum: stop.sum }),
  })

/** A budget other than the session's own is named. */
const stopReason = (stop: LimitStop | undefined): string =>
  stop?.budget === undefined ? errorReasons.budget : stop.message

export function interruptTurn(state: SessionState, command: InterruptTurn): readonly EventDraft[] {
  if (state.turn === null && isWaitingStatus(state.status)) return interruptWaiting(state, command)
  return [moveTo(requireTurn(state), 'interrupting', reasonBy(command.by))]
}

/** The turn that asked died with its process. Its asks expire now, as at the end of a turn, and wake no agent. */
function interruptWaiting(state: SessionState, { by }: InterruptTurn): readonly EventDraft[] {
  const expired = openAsks(state).flatMap((ask) => {
    const { turnId } = ask.request
    return expireAll([ask], turnId === null ? {} : { turnId })
  })
  const next = state.queued.length > 0 ? 'queued' : 'interrupted'
  return [moveTo(state, 'interrupting', reasonBy(by)), ...expired, moveTo({ status: 'interrupting' }, next)]
}

export function endTurn(state: SessionState, command: EndTurn): readonly EventDraft[] {
  const turnId = requireTurn(state).turn?.turnId
  const origin = turnId === undefined ? {} : { turnId }
  // A pause takes the process away from its asks, as a crash does: the answers are still needed.
  const keepsAsks = command.keepsAsks || state.status === 'pausing'
  const isOver = ({ request }: Ask) => !keepsAsks && request.turnId === turnId
  const asks = openAsks(state)
  const left = asks.filter((ask) => !isOver(ask))
  const missed = command.ended.data.outcome === 'crashed' ? missedInUse(state) : []
  const woken = wakeIfAllAnswered(state, { left, missed, messageId: command.wakeMessageId })
  const returned = returnUnseen(state, { ...command, keepsAsks })
  const isDone = command.ended.data.outcome === 'completed' && woken.length === 0 && isFinished(state, left)
  const isRaised = isLimitRaised(state, command)
  const continuation = isRaised && woken.length === 0 && left.length === 0 ? continueAfter(state, command) : woken
  return [
    ...expireAll(asks.filter(isOver), origin),
    ...unusedGrants(state).map(({ approvalId }) => draft('ApprovalUnused', { approvalId }, origin)),
    ...missed.map((answer) => draft('AnswerMissed', { answer }, origin)),
    ...returned,
    { ...withProcessEnd(command), ...origin },
    ...(isDone ? [completeTask(state, command)] : isRaised ? [] : consequences(state, command)),
    ...continuation,
    ...rest(state, isDone ? 'completed' : isRaised ? 'queued' : restAfter(command.ended.data), {
      waiting: waitingStatus(left),
      hasMore: continuation.length + returned.length + state.queued.length > 0,
      ...(isRaised ? { reason: 'its limit was raised while it worked' } : reasonOf(command)),
    }),
  ]
}

const withProcessEnd = ({ ended, keepsAsks }: EndTurn): EndTurn['ended'] =>
  keepsAsks ? { ...ended, data: { ...ended.data, hasProcessEnded: true } } : ended

/** It ended at a limit that has been raised meanwhile: no second raise is needed. */
function isLimitRaised(state: SessionState, { ended, stop, heldTo = {} }: EndTurn): boolean {
  if (state.status === 'interrupting' || state.status === 'pausing' || state.status === 'cancelling') return false
  const { limits, costUsd } = state
  const isHigher = (name: keyof Limits) => limits[name] > (heldTo[name] ?? limits[name])
  switch (ended.data.outcome) {
    case 'turn_limit':
      return isHigher('maxTurns')
    case 'budget_limit':
      return stop?.budget === undefined && isHigher('maxBudgetUsd') && costUsd < limits.maxBudgetUsd
    case 'timeout': {
      // A turn that exceeded the time limit of a turn did not reach the session's.
      const counted = countTurn(state, ended.data)
      const wasHeld = isOutOfTime({ ...counted, limits: { ...limits, ...heldTo } })
      return isHigher('maxDurationMs') && !isOutOfTime(counted) && wasHeld
    }
    default:
      return false
  }
}

const continueAfter = (state: SessionState, { ended, wakeMessageId }: EndTurn): readonly EventDraft[] =>
  continueWork(countTurn(state, ended.data), wakeMessageId)

const reasonOf = ({ ended, stop }: EndTurn): Pick<Afterwards, 'reason'> =>
  ended.data.outcome === 'budget_limit' ? { reason: stopReason(stop) } : {}

/** Returns messages that the agent may not have seen. A suspended turn takes up its message again when it continues. */
function returnUnseen(state: SessionState, { ended, isHandedOver, keepsAsks }: EndTurn): readonly EventDraft[] {
  if (ended.data.outcome === 'crashed') return returnSteered(state, 'the agent process ended')
  return keepsAsks && isHandedOver === false ? returnOpening(state, 'the turn was stopped before it began') : []
}

/** The last one first, because each goes to the front. A cancelled session drops them. */
function returnSteered({ steered, status, turn }: SessionState, reason: string): readonly EventDraft[] {
  if (turn === null || status === 'cancelling') return []
  const { turnId } = turn
  return steered.toReversed().map(({ messageId }) => draft('UserMessageReturned', { messageId, reason }, { turnId }))
}

function returnOpening({ turn }: SessionState, reason: string): readonly EventDraft[] {
  if (turn === null || turn.opening === null) return []
  const { turnId, opening } = turn
  return [draft('UserMessageReturned', { messageId: opening.messageId, reason }, { turnId })]
}

/** Approved calls that the agent knew of and did not issue again. */
function unusedGrants({ grants, unreported }: SessionState): SessionState['grants'] {
  const unreportedIds = new Set(unreported.flatMap((one) => (one.type === 'decision' ? [one.approvalId] : [])))
  return grants.filter(({ approvalId }) => !unreportedIds.has(approvalId))
}

/** Decisions made while the turn ran, which the agent did not learn by itself. */
function wakeIfAllAnswered({ status, unreported }: SessionState, { left, missed, messageId }: Unlearned) {
  // A dead process may have run an allowed call: the session rests, and the resume reports the call to the agent.
  const hasReport = unreported.length > 0 || missed.some((report) => !mayHaveRun(report))
  return left.length > 0 || status === 'cancelling' || !hasReport ? [] : wake([...unreported, ...missed], messageId)
}

interface Unlearned {
  /** Asks that are still open. */
  readonly left: readonly Ask[]
  /** Not in the state yet. */
  readonly missed: readonly Unreported[]
  readonly messageId: UserMessageId
}

/** The answers that were lost with the process. An interrupt withdraws them, as it withdraws the turn's asks. */
function missedInUse({ status, answersInUse }: SessionState): readonly Unreported[] {
  if (status === 'interrupting' || status === 'cancelling') return []
  return answersInUse.flatMap(({ report }) => strategyOfReport(report).stopped(report) ?? [])
}

const isFinished = (state: SessionState, left: readonly Ask[]): boolean =>
  state.mode === 'task' && state.queued.length === 0 && left.length === 0 && state.status !== 'cancelling'

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
    case 'budget_limit':
      return [budgetExceeded(state, command.stop)]
    case 'timeout':
      return [isOutOfTime(countTurn(state, command.ended.data)) ? outOfTime(state) : turnOutOfTime(command)]
    case 'failed':
    case 'crashed': {
      const reason = result.errorReason ?? outcome
      return [draft('AgentSessionFailed', { reason, errors: result.response === '' ? [] : [result.response] })]
    }
    default:
      return assertNever(outcome)
  }
}

function restAfter({ outcome, result }: EndTurn['ended']['data']): SessionStatus {
  switch (outcome) {
    case 'completed':
      return 'idle'
    case 'turn_limit':
      return 'stopped_turns'
    case 'budget_limit':
      return 'stopped_budget'
    case 'failed':
      return isContextFull(result) ? 'context_exhausted' : 'failed'
    case 'crashed':
    case 'timeout':
      return 'failed'
    case 'interrupted':
      return 'interrupted'
    default:
      return assertNever(outcome)
  }
}

/** The conversation exceeds the model's context window, in the wording of the backends. */
const isContextFull = ({ errorReason }: ExecutionResult): boolean =>
  errorReason !== null && /prompt is too long|prompt_too_long|context limit reached|blocking_limit/i.test(errorReason)

function rest(
  state: SessionState,
  status: SessionStatus,
  { waiting, hasMore, reason }: Afterwards,
): readonly EventDraft[] {
  if (state.status === 'cancelling') return [] // the second phase of the cancel sets the status
  // A paused session stays paused however its turn ended, except for a task that is done: it has nothing left to hold.
  if (state.status === 'pausing' && status !== 'completed') return [moveTo(state, 'paused')]
  // An open ask has priority over every other outcome. Without money the session waits until the limit is raised.
  const next = waiting ?? (hasMore && status !== 'stopped_budget' ? 'queued' : status)
  return next === state.status ? [] : [moveTo(state, next, next === status ? (reason ?? null) : null)]
}

interface Afterwards {
  readonly waiting: SessionStatus | null
  readonly hasMore: boolean
  readonly reason?: string
}

/** After a crash of the server: ends the turn, keeps the seen text and the asks, and reports answers in use. */
export function recoverSession(state: SessionState, command: RecoverSession): readonly EventDraft[] {
  const origin = state.turn === null ? {} : { turnId: state.turn.turnId }
  const discarded = command.openTexts.map(({ messageId, agent, text }) =>
    draft('AgentStreamDiscarded', { messageId, text, reason: 'the server stopped' }, { agent, ...origin }),
  )
  if (state.turn === null && state.status !== 'cancelling') return discarded
  const recovered = draft('AgentSessionRecovered', {
    interruptedTurn: state.turn !== null,
    outcomeUnknown: unknownOutcomes(state),
    openApprovals: state.status === 'cancelling' ? 0 : state.approvals.length,
  })
  const ended = state.turn === null ? [] : [{ ...interruptedTurn(state, state.turn.startedAt), ...origin }]
  if (state.status === 'cancelling')
    return [...discarded, ...ended, recovered, ...expireAll(openAsks(state)), moveTo(state, 'cancelled')]
  const answers = missedInUse(state)
  const missed = answers.map((answer) => draft('AnswerMissed', { answer }, origin))
  const woken = wakeIfAllAnswered(state, { left: openAsks(state), missed: answers, messageId: command.wakeMessageId })
  // A turn that has shown nothing yet may have lost its message with its process: it starts again.
  const opening = command.openTexts.length === 0 ? returnOpening(state, 'the server stopped') : []
  const returned = [...returnSteered(state, 'the server stopped'), ...opening]
  const hasMore = woken.length + returned.length + state.queued.length > 0
  const next = { waiting: waitingStatus(openAsks(state)), hasMore }
  return [...discarded, ...missed, ...returned, ...ended, recovered, ...woken, ...rest(state, 'interrupted', next)]
}

/** Only running calls: those that wait for an answer have not begun. */
function unknownOutcomes(state: SessionState) {
  const waiting = new Set(openAsks(state).map(({ request }) => request.toolUseId))
  return state.openTools
    .filter(({ toolUseId }) => !waiting.has(toolUseId))
    .map(({ toolUseId, toolName }) => ({ toolUseId, toolName }))
}

/** The working time in the log: from the start of the turn to its last event. */
const interruptedTurn = (state: SessionState, startedAt: string) =>
  draft('TurnEnded', {
    outcome: 'interrupted',
    hasProcessEnded: true,
    result: { ...emptyResult, isError: true, errorReason: errorReasons.interrupted },
    durationMs: Math.max(0, Date.parse(state.updatedAt) - Date.parse(startedAt)),
    ...nothingUsed,
  })
