// One session as a fold over its log. The engine decides on this state and clients see the same one.

import type { EventOfType, SessionEvent } from '../../events/session-event.ts'
import { assertNever } from '../../values/assert-never.ts'
import { firstLine } from './first-line.ts'
import { continueWithResults, executeTool, missAnswer, useGrant } from './fold-answers-in-use.ts'
import { openAsk, settleAsk, takeUpAsk } from './fold-asks.ts'
import { attachClient, detachClient } from './fold-clients.ts'
import { endGrant, revokeRule } from './fold-grants.ts'
import {
  deliverMessage,
  editMessage,
  promoteMessage,
  queueMessage,
  returnMessage,
  unsavedFrom,
  withoutMessage,
} from './fold-messages.ts'
import { countTurn, invokeTool, notePromptSaved, recordUsage, startTurn, takeUpTurn } from './fold-turns.ts'
import type { SessionState } from './session-state.ts'

/** Folds events into a session; `null` is the session before its first event. */
export function foldSession(state: SessionState | null, events: readonly SessionEvent[]): SessionState | null {
  let current = state
  for (const event of events) {
    if (event.type === 'AgentSessionCreated') current = created(event)
    else if (current !== null) current = evolve(current, event)
  }
  const last = events.at(-1)
  // Once, because each copy of a state has about fifty fields.
  return current === null || last === undefined ? current : { ...current, seq: last.seq, updatedAt: last.at }
}

function created(event: EventOfType<'AgentSessionCreated'>): SessionState {
  const { agentName, mode, model, modelSource, permissionMode, limits, cwd, title, tags, owner } = event.data
  const { startedBy, instructions, allowedTools } = event.data
  const { thinking = null, forkedFrom = null, backendSessionId = null, unsaved = [] } = event.data
  return {
    agentName,
    mode,
    model,
    modelSource,
    permissionMode,
    limits,
    cwd,
    tags,
    owner,
    ...(startedBy === undefined ? {} : { startedBy }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    sessionId: event.sessionId,
    seq: event.seq,
    status: 'idle',
    statusReason: null,
    title: title ?? '',
    createdAt: event.at,
    updatedAt: event.at,
    activity: 'Created',
    lastModel: null,
    thinking,
    isArchived: false,
    isHibernated: false,
    forkedFrom,
    backendSessionId,
    turn: null,
    wasCutOff: false,
    failedTurns: 0,
    stoppedBy: null,
    numTurns: 0,
    costUsd: 0,
    hasUnpricedUsage: false,
    units: 0,
    highCostUsd: 0,
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    durationMs: 0,
    durationApiMs: 0,
    modelUsage: {},
    permissionDenials: [],
    lastResult: null,
    queued: [],
    unsaved: unsavedFrom(unsaved),
    steered: [],
    recentMessages: [],
    approvals: [],
    decided: [],
    grants: [],
    unreported: [],
    answersInUse: [],
    kept: [],
    questions: [],
    clientCalls: [],
    settled: [],
    clients: [],
    rules: [],
    openTools: [],
    lastError: null,
  }
}

function evolve(state: SessionState, event: Exclude<SessionEvent, { type: 'AgentSessionCreated' }>): SessionState {
  switch (event.type) {
    case 'AgentSessionStarted':
      // Not its model: a process that was slow to start may report the model from before a change.
      return { ...state, backendSessionId: event.data.backendSessionId, isHibernated: false }
    case 'AgentSessionStatusChanged':
      return changeStatus(state, event)
    case 'UserMessageQueued':
      return queueMessage(state, event)
    case 'UserMessageDelivered':
      return deliverMessage(state, event)
    case 'UserMessageReturned':
      return returnMessage(state, event)
    case 'UserMessageEdited':
      return editMessage(state, event)
    case 'UserMessageCancelled':
      return withoutMessage(state, event.data.messageId)
    case 'UserMessagePromoted':
      return promoteMessage(state, event)
    case 'TurnStarted':
      return startTurn(state, event)
    case 'TurnEnded':
      return countTurn(state, event.data)
    case 'AgentInvokedTool':
      return invokeTool(continueWithResults(notePromptSaved(state)), event)
    case 'ToolExecuted':
      return executeTool(state, event)
    case 'ApprovalRequested':
    case 'QuestionAsked':
    case 'ClientToolCalled':
      return openAsk(notePromptSaved(state), event)
    case 'ApprovalTakenUp':
    case 'QuestionTakenUp':
    case 'ClientToolTakenUp':
      return takeUpAsk(state, event)
    case 'ApprovalDecided':
    case 'ApprovalExpired':
    case 'QuestionAnswered':
    case 'QuestionExpired':
    case 'ClientToolReturned':
    case 'ClientToolExpired':
      return settleAsk(state, event)
    case 'ApprovalUsed':
      return endGrant(useGrant(state, event), event.data)
    case 'ApprovalUnused':
      return endGrant(state, event.data)
    case 'SessionRuleRevoked':
      return revokeRule(state, event)
    case 'ClientAttached':
      return attachClient(state, event)
    case 'ClientDetached':
      return detachClient(state, event)
    case 'AnswerMissed':
      return missAnswer(state, event)
    case 'UsageRecorded':
      return recordUsage(takeUpTurn(state), event)
    case 'ModelChanged':
      return { ...state, model: event.data.to }
    case 'PermissionModeChanged':
      return { ...state, permissionMode: event.data.to }
    case 'ThinkingChanged':
      return { ...state, thinking: event.data.to }
    case 'BudgetChanged':
      return { ...state, limits: event.data.to }
    case 'AgentSessionDetailsChanged':
      return changeDetails(state, event)
    case 'AgentSessionRewound':
      return rewind(state, event)
    case 'AgentSessionHibernated':
      return { ...state, isHibernated: true }
    case 'AgentSessionWoken':
      return { ...state, isHibernated: false }
    case 'AgentSessionFailed':
      return { ...state, lastError: event.data.errors.join('; ') || event.data.reason, activity: event.data.reason }
    case 'AgentSessionRecovered':
      return recovered(state, event)
    case 'AgentSessionBudgetExceeded':
      return outOfBudget(state, event)
    case 'BackendCrashed':
      return { ...state, activity: 'The agent process stopped unexpectedly' }
    case 'AgentThought':
      return { ...continueWithResults(notePromptSaved(state)), activity: firstLine(event.data.text) || state.activity }
    case 'AgentThinking':
      return continueWithResults(notePromptSaved(state))
    case 'AgentStreamDiscarded':
      return takeUpTurn(state)
    case 'AgentSessionCompleted':
    case 'AgentSessionTurnLimitReached':
    case 'SubagentThought':
    case 'SubagentStarted':
    case 'SubagentStopped':
    case 'AgentSessionForked':
    case 'ModelChosen':
    case 'BudgetWarning':
    case 'CostDrifted':
    case 'ContextNearingLimit':
    case 'FilesCheckpointed':
    case 'FilesRewound':
    case 'ModelRequestRetrying':
    case 'ModelFellBack':
    case 'AgentContextCompacted':
    case 'McpServerStatusChanged':
    case 'RawBackendMessage':
    case 'SecurityNoticed':
      return state
    default:
      return assertNever(event)
  }
}

function changeStatus(state: SessionState, { at, data }: EventOfType<'AgentSessionStatusChanged'>): SessionState {
  const next = { ...state, status: data.to, statusReason: data.reason }
  if (data.to === 'stopped_budget') return { ...next, stoppedAt: at }
  const { stoppedSum: _, stoppedBudgetId: __, stoppedAt: ___, ...rest } = next
  return { ...rest, stoppedBy: null }
}

function outOfBudget(state: SessionState, { data }: EventOfType<'AgentSessionBudgetExceeded'>): SessionState {
  const { stoppedSum: _, stoppedBudgetId: __, ...rest } = state
  const { budget = null, budgetId, sum } = data
  return {
    ...rest,
    stoppedBy: budget,
    ...(sum === undefined ? {} : { stoppedSum: sum }),
    ...(budgetId === undefined ? {} : { stoppedBudgetId: budgetId }),
  }
}

function changeDetails(state: SessionState, { data }: EventOfType<'AgentSessionDetailsChanged'>): SessionState {
  const { title = state.title, tags = state.tags, isArchived = state.isArchived } = data
  return { ...state, title, tags, isArchived }
}

/** Discarded messages are neither reported nor allowed. An old log does not name them. */
function rewind(state: SessionState, { data }: EventOfType<'AgentSessionRewound'>): SessionState {
  const { backendSessionId, fromSeq = 0 } = data
  const isKnown = ({ seq }: { readonly seq?: number | undefined }) => seq !== undefined && seq < fromSeq
  const left = { unreported: state.unreported.filter(isKnown), grants: state.grants.filter(isKnown), kept: [] }
  return {
    ...state,
    ...left,
    unsaved: unsavedFrom(data.unsaved ?? []),
    backendSessionId,
    wasCutOff: false,
    activity: 'Rewound',
  }
}

function recovered(state: SessionState, { data }: EventOfType<'AgentSessionRecovered'>): SessionState {
  const wasCutOff = state.wasCutOff || data.interruptedTurn
  return { ...state, openTools: [], wasCutOff, isHibernated: true, activity: 'Recovered after the server stopped' }
}
