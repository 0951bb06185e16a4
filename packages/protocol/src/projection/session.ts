// One session as a fold over its log. The engine decides on this state and clients are shown it: one projector, no twin.
import { z } from 'zod'
import { AgentName, Limits, ModelSource } from '../agent.ts'
import { assertNever } from '../assert-never.ts'
import { AgentPath } from '../events/envelope.ts'
import { ModelUsage, SessionMode } from '../events/lifecycle.ts'
import { MessageOrigin } from '../events/messages.ts'
import { ApprovalDecision, ApprovalRequested } from '../events/people.ts'
import type { EventOfType, SessionEvent } from '../events/session-event.ts'
import { ApprovalId, SessionId, TurnId, UserMessageId } from '../ids.ts'
import { JsonObject } from '../json.ts'
import { addTokens, TokenCounts } from '../models.ts'
import { PermissionMode, PermissionRule } from '../permissions.ts'
import { SessionStatus } from '../session-status.ts'

export const QueuedMessage = z.object({
  messageId: UserMessageId,
  content: z.string(),
  origin: MessageOrigin,
  by: z.string(),
  at: z.iso.datetime(),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

export const OpenApproval = ApprovalRequested.shape.data
  .extend({
    sessionId: SessionId,
    seq: z.int(),
    at: z.iso.datetime(),
    /** The turn that asked. When it is over, no process waits for the answer any more. */
    turnId: TurnId.nullable(),
    agent: AgentPath,
  })
  .meta({ id: 'OpenApproval' })
export type OpenApproval = z.infer<typeof OpenApproval>

export const DecidedApproval = z.object({
  approvalId: ApprovalId,
  decision: ApprovalDecision.or(z.literal('expired')),
  by: z.string(),
  at: z.iso.datetime(),
})
export type DecidedApproval = z.infer<typeof DecidedApproval>

/** Lets one re-issued call through, once. */
export const Grant = z.object({ approvalId: ApprovalId, toolName: z.string(), toolInput: JsonObject })
export type Grant = z.infer<typeof Grant>

/** A decision no process was there to hear: the agent is told when it wakes. */
export const UntoldDecision = z.object({
  approvalId: ApprovalId,
  isAllowed: z.boolean(),
  toolName: z.string(),
  toolInput: JsonObject,
  note: z.string().nullable(),
})
export type UntoldDecision = z.infer<typeof UntoldDecision>

export const SessionState = z
  .object({
    sessionId: SessionId,
    /** The last event folded in. */
    seq: z.int(),
    status: SessionStatus,
    statusReason: z.string().nullable(),
    mode: SessionMode,
    agentName: AgentName,
    model: z.string(),
    modelSource: ModelSource,
    permissionMode: PermissionMode,
    limits: Limits,
    cwd: z.string(),
    title: z.string(),
    tags: z.array(z.string()),
    owner: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    /** One line about the last thing that happened, for lists. */
    activity: z.string(),
    backendSessionId: z.string().nullable(),
    turn: z.object({ turnId: TurnId, startedAt: z.iso.datetime() }).nullable(),
    /** Agent loop iterations so far, against `limits.maxTurns`. */
    numTurns: z.int(),
    costUsd: z.number(),
    /** True when some request had no price: the sum above is then only what is known. */
    hasUnpricedUsage: z.boolean(),
    tokens: TokenCounts,
    /** Time the agent worked, waiting for people left out. */
    durationMs: z.number(),
    durationApiMs: z.number(),
    modelUsage: ModelUsage,
    permissionDenials: z.array(JsonObject),
    lastResult: z.string().nullable(),
    queued: z.array(QueuedMessage),
    /** The last messages that came in, so that a retry is known for one. */
    recentMessages: z.array(UserMessageId),
    approvals: z.array(OpenApproval),
    decided: z.array(DecidedApproval),
    grants: z.array(Grant),
    untold: z.array(UntoldDecision),
    rules: z.array(PermissionRule),
    openTools: z.array(z.object({ toolUseId: z.string(), toolName: z.string(), agent: AgentPath })),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Session' })
export type SessionState = z.infer<typeof SessionState>

/** Folds events into a session; `null` is the session before its first event. */
export function foldSession(state: SessionState | null, events: readonly SessionEvent[]): SessionState | null {
  let current = state
  for (const event of events) {
    if (event.type === 'AgentSessionCreated') current = created(event)
    else if (current !== null) current = { ...evolve(current, event), seq: event.seq, updatedAt: event.at }
  }
  return current
}

function created(event: EventOfType<'AgentSessionCreated'>): SessionState {
  const { agentName, mode, model, modelSource, permissionMode, limits, cwd, title, tags, owner } = event.data
  return {
    ...{ agentName, mode, model, modelSource, permissionMode, limits, cwd, tags, owner },
    sessionId: event.sessionId,
    seq: event.seq,
    status: 'idle',
    statusReason: null,
    title: title ?? '',
    createdAt: event.at,
    updatedAt: event.at,
    activity: 'Created',
    backendSessionId: null,
    turn: null,
    numTurns: 0,
    costUsd: 0,
    hasUnpricedUsage: false,
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    durationMs: 0,
    durationApiMs: 0,
    modelUsage: {},
    permissionDenials: [],
    lastResult: null,
    queued: [],
    recentMessages: [],
    approvals: [],
    decided: [],
    grants: [],
    untold: [],
    rules: [],
    openTools: [],
    lastError: null,
  }
}

function evolve(state: SessionState, event: Exclude<SessionEvent, { type: 'AgentSessionCreated' }>): SessionState {
  switch (event.type) {
    case 'AgentSessionStarted':
      // Not its model: a process that was slow to start may report the one from before a change.
      return { ...state, backendSessionId: event.data.backendSessionId }
    case 'AgentSessionStatusChanged':
      return { ...state, status: event.data.to, statusReason: event.data.reason }
    case 'UserMessageQueued':
      return queueMessage(state, event)
    case 'UserMessageDelivered':
      return deliverMessage(state, event)
    case 'TurnStarted':
      return startTurn(state, event)
    case 'TurnEnded':
      return countTurn(state, event.data)
    case 'AgentInvokedTool':
      return invokeTool(state, event)
    case 'ToolExecuted':
      return { ...state, openTools: state.openTools.filter((tool) => tool.toolUseId !== event.data.toolUseId) }
    case 'ApprovalRequested':
      return requestApproval(state, event)
    case 'ApprovalDecided':
      return decideApproval(state, event)
    case 'ApprovalExpired':
      return settleApproval(state, { ...event.data, decision: 'expired', by: 'clock', at: event.at })
    case 'ApprovalTakenUp':
      return takeUpApproval(state, event)
    case 'ApprovalUsed':
    case 'ApprovalUnused':
      return endGrant(state, event.data)
    case 'UsageRecorded':
      return recordUsage(state, event)
    case 'ModelChanged':
      return { ...state, model: event.data.to }
    case 'AgentSessionFailed':
      return { ...state, lastError: event.data.errors.join('; ') || event.data.reason, activity: event.data.reason }
    case 'AgentSessionRecovered':
      return { ...state, openTools: [], activity: 'Recovered after the server stopped' }
    case 'BackendCrashed':
      return { ...state, activity: 'The agent process stopped unexpectedly' }
    case 'AgentThought':
      return { ...state, activity: firstLine(event.data.text) || state.activity }
    case 'AgentSessionCompleted':
    case 'AgentSessionBudgetExceeded':
    case 'AgentSessionTurnLimitReached':
    case 'AgentThinking':
    case 'SubagentThought':
    case 'SubagentStarted':
    case 'SubagentStopped':
    case 'AgentStreamDiscarded':
    case 'ModelChosen':
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

/** The state is rewritten with every append: what only looks back is bounded, the log has it all. */
const historyLimit = 200
const recentMessageLimit = 100

function queueMessage(state: SessionState, event: EventOfType<'UserMessageQueued'>): SessionState {
  const { messageId, content, origin, by } = event.data
  const title = state.title === '' && origin === 'user' ? firstLine(content) : state.title
  const recentMessages = [...state.recentMessages, messageId].slice(-recentMessageLimit)
  const message = { messageId, content, origin, by, at: event.at }
  // What the engine has to say goes first: it may be overtaken by nothing that makes it untrue.
  const queued = origin === 'engine' ? [message, ...state.queued] : [...state.queued, message]
  return { ...state, title, recentMessages, queued }
}

function deliverMessage(state: SessionState, event: EventOfType<'UserMessageDelivered'>): SessionState {
  const message = state.queued.find(({ messageId }) => messageId === event.data.messageId)
  const queued = state.queued.filter(({ messageId }) => messageId !== event.data.messageId)
  return { ...state, queued, untold: message?.origin === 'engine' ? [] : state.untold }
}

function startTurn(state: SessionState, event: EventOfType<'TurnStarted'>): SessionState {
  const turn = event.turnId === undefined ? null : { turnId: event.turnId, startedAt: event.at }
  return { ...state, turn, lastError: null, activity: 'Started a turn' }
}

/** The session once a turn is counted in. Whoever closes a session with a turn reports exactly this. */
export function countTurn(state: SessionState, ended: EventOfType<'TurnEnded'>['data']): SessionState {
  const { result, durationMs, durationApiMs, modelUsage, permissionDenials } = ended
  return {
    ...state,
    turn: null,
    openTools: [],
    numTurns: state.numTurns + result.numTurns,
    durationMs: state.durationMs + durationMs,
    durationApiMs: state.durationApiMs + durationApiMs,
    modelUsage: addModelUsage(state.modelUsage, modelUsage),
    permissionDenials: [...state.permissionDenials, ...permissionDenials].slice(-historyLimit),
    lastResult: result.response || state.lastResult,
    activity: firstLine(result.response) || result.errorReason || state.activity,
  }
}

/** Adds up what can be added; a context window or a price basis is simply the latest. */
function addModelUsage(sum: ModelUsage, turn: ModelUsage): ModelUsage {
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

function invokeTool(state: SessionState, event: EventOfType<'AgentInvokedTool'>): SessionState {
  const { toolUseId, toolName } = event.data
  const openTools = [...state.openTools, { toolUseId, toolName, agent: event.agent }]
  return { ...state, openTools, activity: `Uses ${toolName}` }
}

function requestApproval(state: SessionState, event: EventOfType<'ApprovalRequested'>): SessionState {
  const { sessionId, seq, at, agent, turnId } = event
  const approval = { ...event.data, sessionId, seq, at, agent, turnId: turnId ?? null }
  return { ...state, approvals: [...state.approvals, approval], activity: `Wants to use ${event.data.toolName}` }
}

function takeUpApproval(state: SessionState, { data, turnId }: EventOfType<'ApprovalTakenUp'>): SessionState {
  const approvals = state.approvals.map((open) =>
    open.approvalId === data.approvalId ? { ...open, turnId: turnId ?? null } : open,
  )
  return { ...state, approvals }
}

/** What was used needs no telling any more. */
function endGrant(state: SessionState, { approvalId }: Pick<Grant, 'approvalId'>): SessionState {
  const others = <Kind extends Pick<Grant, 'approvalId'>>(list: readonly Kind[]) =>
    list.filter((one) => one.approvalId !== approvalId)
  return { ...state, grants: others(state.grants), untold: others(state.untold) }
}

function decideApproval(state: SessionState, event: EventOfType<'ApprovalDecided'>): SessionState {
  const { approvalId, decision, by, rule, toolInput, wasLive } = event.data
  const request = state.approvals.find((approval) => approval.approvalId === approvalId)
  const settled = settleApproval(state, { approvalId, decision, by, at: event.at })
  const rules = rule === null ? settled.rules : [...settled.rules, rule]
  if (wasLive || request === undefined) return { ...settled, rules }
  const { toolName } = request
  const grants = toolInput === null ? settled.grants : [...settled.grants, { approvalId, toolName, toolInput }]
  return { ...settled, rules, grants, untold: [...settled.untold, untoldDecision(request, event.data)] }
}

/** What the agent has to be told about a decision it was not there to hear. */
export function untoldDecision(request: OpenApproval, decided: EventOfType<'ApprovalDecided'>['data']): UntoldDecision {
  const { toolInput, note } = decided
  const { approvalId, toolName } = request
  return { approvalId, isAllowed: toolInput !== null, toolName, toolInput: toolInput ?? request.toolInput, note }
}

function settleApproval(state: SessionState, decided: DecidedApproval): SessionState {
  return {
    ...state,
    approvals: state.approvals.filter((approval) => approval.approvalId !== decided.approvalId),
    decided: [...state.decided, decided].slice(-historyLimit),
  }
}

function recordUsage(state: SessionState, event: EventOfType<'UsageRecorded'>): SessionState {
  const { tokens, costUsd } = event.data
  return {
    ...state,
    costUsd: state.costUsd + (costUsd ?? 0),
    hasUnpricedUsage: state.hasUnpricedUsage || costUsd === null,
    tokens: addTokens(state.tokens, tokens),
  }
}

const longestLine = 120

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  if (line.length <= longestLine) return line
  // By characters, not by their halves: half a character makes the whole reply unreadable for strict parsers. A
  // character has at most two halves, so this much of the line is enough to know whether it is too long.
  const characters = Array.from(line.slice(0, 2 * longestLine + 2))
  return characters.length <= longestLine ? line : `${characters.slice(0, longestLine - 1).join('')}…`
}
