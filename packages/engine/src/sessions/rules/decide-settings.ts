// Changes of a session's settings. Only real changes are recorded.
import { isDeepStrictEqual } from 'node:util'
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
export function changeSettings(state: SessionState, command: ChangeSettings): readonly EventDraft[] {
  const working = changeWorking(state, command)
  const limits = changeLimits(state, command)
  if (working.length > 0 || limits.length > 0) requireOpen(state)
  return [...working, ...changeDetails(state, command), ...limits]
}

function changeWorking(state: SessionState, command: ChangeSettings): readonly EventDraft[] {
  const { model, permissionMode: mode, thinking, by } = command
  const changed: EventDraft[] = []
  if (model !== undefined && model !== state.model) {
    changed.push(draft('ModelChanged', { from: state.model, to: model, by }))
  }
  if (mode !== undefined && mode !== state.permissionMode) {
    changed.push(draft('PermissionModeChanged', { from: state.permissionMode, to: mode, by }))
  }
  if (thinking !== undefined && thinking?.budgetTokens !== state.thinking?.budgetTokens) {
    changed.push(draft('ThinkingChanged', { from: state.thinking, to: thinking, by }))
  }
  return changed
}

function changeDetails(state: SessionState, { title, tags, isArchived, by }: ChangeSettings): readonly EventDraft[] {
  const changed = {
    ...(title === undefined || title === state.title ? {} : { title }),
    ...(tags === undefined || isDeepStrictEqual(tags, state.tags) ? {} : { tags: [...tags] }),
    ...(isArchived === undefined || isArchived === state.isArchived ? {} : { isArchived }),
  }
  return Object.keys(changed).length === 0 ? [] : [draft('AgentSessionDetailsChanged', { ...changed, by })]
}

function changeLimits(state: SessionState, command: ChangeSettings): readonly EventDraft[] {
  const { limits: to, by, continueMessageId } = command
  const from = state.limits
  if (to === undefined || isDeepStrictEqual(from, to)) return []
  const changed = draft('BudgetChanged', { from, to, by })
  if (isClosedStatus(state.status) || !isLifted(state, to)) return [changed]
  const continuation = continueWork(state, continueMessageId)
  const hasWork = continuation.length > 0 || state.queued.length > 0
  return [changed, ...continuation, moveTo(state, hasWork ? 'queued' : 'idle', `limits raised by ${by}`)]
}

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
