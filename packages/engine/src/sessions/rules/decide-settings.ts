// Changes of a session's settings. Only real changes are recorded.
import {
  type ChangeSettings,
  draft,
  type EventDraft,
  isClosedStatus,
  isOutOfTime,
  type Limits,
  type SessionState,
} from '@quarterdeck/protocol'
import { continueWork } from './decide-control.ts'
import { requireOpen } from './invariants.ts'
import { moveTo } from './status-drafts.ts'

/** Title, tags and the archive mark belong to the list: they can be changed on a closed session too. */
export function decideSettings(state: SessionState, command: ChangeSettings): readonly EventDraft[] {
  const working = [...changeModel(state, command), ...changeMode(state, command), ...changeThinking(state, command)]
  const limits = changeLimits(state, command)
  if (working.length > 0 || limits.length > 0) requireOpen(state)
  return [...working, ...changeDetails(state, command), ...limits]
}

function changeModel({ model: from }: SessionState, { model: to, by }: ChangeSettings): readonly EventDraft[] {
  return to === undefined || to === from ? [] : [draft('ModelChanged', { from, to, by })]
}

function changeMode(
  { permissionMode: from }: SessionState,
  { permissionMode: to, by }: ChangeSettings,
): readonly EventDraft[] {
  return to === undefined || to === from ? [] : [draft('PermissionModeChanged', { from, to, by })]
}

function changeThinking({ thinking: from }: SessionState, { thinking: to, by }: ChangeSettings): readonly EventDraft[] {
  if (to === undefined || to?.budgetTokens === from?.budgetTokens) return []
  return [draft('ThinkingChanged', { from, to, by })]
}

function changeDetails(state: SessionState, { title, tags, isArchived, by }: ChangeSettings): readonly EventDraft[] {
  const changed = {
    ...(title === undefined || title === state.title ? {} : { title }),
    ...(tags === undefined || isSameList(tags, state.tags) ? {} : { tags: [...tags] }),
    ...(isArchived === undefined || isArchived === state.isArchived ? {} : { isArchived }),
  }
  return Object.keys(changed).length === 0 ? [] : [draft('AgentSessionDetailsChanged', { ...changed, by })]
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((entry, index) => entry === other[index])

function changeLimits(state: SessionState, command: ChangeSettings): readonly EventDraft[] {
  const { limits: to, by, continueMessageId } = command
  const from = state.limits
  if (to === undefined || isSameLimits(from, to)) return []
  const changed = draft('BudgetChanged', { from, to, by })
  if (isClosedStatus(state.status) || !isLifted(state, to)) return [changed]
  const continuation = continueWork(state, continueMessageId)
  const hasWork = continuation.length > 0 || state.queued.length > 0
  return [changed, ...continuation, moveTo(state, hasWork ? 'queued' : 'idle', `limits raised by ${by}`)]
}

const isSameLimits = (one: Limits, other: Limits): boolean =>
  one.maxTurns === other.maxTurns &&
  one.maxBudgetUsd === other.maxBudgetUsd &&
  one.maxDurationMs === other.maxDurationMs

/** The raised limit was the reason that the session stopped. */
function isLifted(state: SessionState, to: Limits): boolean {
  const { status, costUsd, limits } = state
  if (status === 'stopped_budget') return to.maxBudgetUsd > limits.maxBudgetUsd && costUsd < to.maxBudgetUsd
  if (status === 'failed') return isHeldByTime(state) && !isOutOfTime({ ...state, limits: to })
  return status === 'stopped_turns' && to.maxTurns > limits.maxTurns
}

/** The session stopped at its time limit, and not because of a failure. */
const isHeldByTime = (state: SessionState): boolean =>
  isOutOfTime(state) && (state.wasCutOff || state.queued.length > 0)
