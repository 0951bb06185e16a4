// The start of a turn, and the totals of its end.

import type { ModelUsage } from '../../events/lifecycle.ts'
import type { EventOfType } from '../../events/session-event.ts'
import type { TurnOutcome } from '../../events/turns.ts'
import { addTokens } from '../../models/token-counts.ts'
import { assertNever } from '../../values/assert-never.ts'
import { firstLine } from './first-line.ts'
import { historyLimit, type SessionState } from './session-state.ts'

export function startTurn(state: SessionState, event: EventOfType<'TurnStarted'>): SessionState {
  const { model, messageIds } = event.data
  const turn =
    event.turnId === undefined ? null : { turnId: event.turnId, startedAt: event.at, messageIds, opening: null }
  return {
    ...state,
    turn,
    lastModel: model,
    lastError: null,
    wasCutOff: false,
    isHibernated: false,
    activity: 'Started a turn',
  }
}

/** The agent has shown that it received the turn's message. */
export function takeUpTurn(state: SessionState): SessionState {
  if (state.turn === null || state.turn.opening === null) return state
  return { ...state, turn: { ...state.turn, opening: null } }
}

/** The agent has finished a part of its answer, so its process has saved the turn's prompt. */
export function notePromptSaved(state: SessionState): SessionState {
  const taken = takeUpTurn(state)
  return taken.turn === null || taken.unsaved.length === 0 ? taken : { ...taken, unsaved: [] }
}

/** The session with the totals of a turn. Code that closes a session with a turn reports exactly these. */
export function countTurn(state: SessionState, ended: EventOfType<'TurnEnded'>['data']): SessionState {
  const { result, durationMs, durationApiMs, modelUsage, permissionDenials } = ended
  return {
    ...state,
    unsaved: unsavedAfter(state, ended),
    turn: null,
    openTools: [],
    steered: [],
    // Reported decisions have had their turn.
    kept: [],
    answersInUse: [],
    wasCutOff: isCutOff(state, ended.outcome),
    failedTurns: hasFailed(ended.outcome) ? state.failedTurns + 1 : 0,
    numTurns: state.numTurns + result.numTurns,
    durationMs: state.durationMs + durationMs,
    durationApiMs: state.durationApiMs + durationApiMs,
    modelUsage: addModelUsage(state.modelUsage, modelUsage),
    permissionDenials: [...state.permissionDenials, ...permissionDenials].slice(-historyLimit),
    lastResult: result.response || state.lastResult,
    activity: firstLine(result.response) || result.errorReason || state.activity,
  }
}

const hasFailed = (outcome: TurnOutcome): boolean => outcome === 'failed' || outcome === 'crashed'

/**
 * Work is left after a pause, unless the message of the turn is queued again. None is left after an interrupt, which is a
 * request to stop.
 */
function isCutOff({ status, turn, queued }: SessionState, outcome: TurnOutcome): boolean {
  switch (outcome) {
    case 'interrupted':
      return status === 'pausing' && !queued.some(({ messageId }) => turn?.messageIds.includes(messageId))
    case 'budget_limit':
    case 'turn_limit':
    case 'timeout':
    case 'crashed':
      return true
    case 'completed':
    case 'failed':
      return false
    default:
      return assertNever(outcome)
  }
}

/**
 * A process that remains has saved the prompt if it received it; earlier messages are still unsaved if it did not. After
 * a crash, messages that the prompt repeated are dropped: one of them may cause the crashes.
 */
function unsavedAfter(
  { turn, unsaved }: SessionState,
  ended: EventOfType<'TurnEnded'>['data'],
): SessionState['unsaved'] {
  if (ended.outcome === 'crashed') return unsaved.filter(({ messageId }) => messageId === turn?.messageIds.at(-1))
  if (ended.hasProcessEnded === true) return unsaved
  return unsaved.filter(({ messageId }) => turn?.opening != null && turn.opening.messageId !== messageId)
}

/** Sums the counts; a context window or a price basis is simply the latest. */
export function addModelUsage(sum: ModelUsage, turn: ModelUsage): ModelUsage {
  const total: ModelUsage = { ...sum }
  for (const [model, usage] of Object.entries(turn)) {
    const before = total[model] ?? { inputTokens: 0, outputTokens: 0 }
    const added = Object.entries(usage).map(([field, value]): [string, unknown] => {
      const earlier = before[field]
      const isCount = typeof value === 'number' && field !== 'contextWindow' && field !== 'maxOutputTokens'
      return [field, isCount && typeof earlier === 'number' ? earlier + value : value]
    })
    total[model] = { ...before, ...usage, ...Object.fromEntries(added) }
  }
  return total
}

export function invokeTool(state: SessionState, event: EventOfType<'AgentInvokedTool'>): SessionState {
  const { toolUseId, toolName } = event.data
  const openTools = [...state.openTools, { toolUseId, toolName, agent: event.agent }]
  return { ...state, openTools, activity: `Uses ${toolName}` }
}

export function recordUsage(state: SessionState, event: EventOfType<'UsageRecorded'>): SessionState {
  const { tokens, costUsd, units = 0, highCostUsd = null } = event.data
  return {
    ...state,
    costUsd: state.costUsd + (costUsd ?? 0),
    hasUnpricedUsage: state.hasUnpricedUsage || costUsd === null,
    tokens: addTokens(state.tokens, tokens),
    units: state.units + units,
    highCostUsd: state.highCostUsd + (highCostUsd ?? costUsd ?? 0),
  }
}
