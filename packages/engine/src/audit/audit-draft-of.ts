// Selects the events to audit: requests and decisions of people and programs, tool results, and changes to the limits
// or the protection of a session. Every event that names a principal is audited, even if its type is unknown here.
import {
  SessionEvent as Catalogue,
  type EventOfType,
  type EventType,
  type JsonObject,
  type SessionEvent,
  starterOf,
} from '@quarterdeck/protocol'
import { type AuditDraft, sha256 } from './audit-entry.ts'

/** `null` for an event that is only content: the log has it. */
export function auditDraftOf(event: SessionEvent): AuditDraft | null {
  const principal = principalOf(event)
  if (principal === null) return null
  return {
    principal,
    action: event.type,
    sessionId: event.sessionId,
    subject: subjectOf(event),
    detail: { ...copiedFacts(event), ...contentHash(event) },
  }
}

/** The principal of events that name none. */
const unnamed: Readonly<Partial<Record<EventType, 'agent' | 'engine'>>> = {
  AgentInvokedTool: 'agent',
  ToolExecuted: 'agent',
  UsageRecorded: 'engine',
  ApprovalRequested: 'agent',
  ApprovalExpired: 'engine',
  ApprovalTakenUp: 'agent',
  ApprovalUsed: 'agent',
  ApprovalUnused: 'engine',
  QuestionAsked: 'agent',
  QuestionExpired: 'engine',
  QuestionTakenUp: 'agent',
  ClientToolCalled: 'agent',
  ClientToolExpired: 'engine',
  ClientToolTakenUp: 'agent',
  AnswerMissed: 'engine',
  AgentSessionCompleted: 'engine',
  AgentSessionFailed: 'engine',
  AgentSessionBudgetExceeded: 'engine',
  AgentSessionTurnLimitReached: 'engine',
  AgentSessionRecovered: 'engine',
  BudgetWarning: 'engine',
  CostDrifted: 'engine',
  ModelFellBack: 'engine',
  SecurityNoticed: 'engine',
}

/** The types whose every event has an entry. Of `AgentSessionStatusChanged` only cancellations have one. */
export const auditedTypes: readonly EventType[] = Catalogue.options.flatMap(({ shape: { type, data } }) =>
  type.value === 'AgentSessionCreated' || type.value in unnamed || 'by' in data.shape ? [type.value] : [],
)

function principalOf(event: SessionEvent): string | null {
  if ('by' in event.data) return event.data.by
  if (event.type === 'AgentSessionCreated') return starterOf(event.data)
  if (event.type === 'AgentSessionStatusChanged') return event.data.to === 'cancelled' ? 'engine' : null
  return unnamed[event.type] ?? null
}

/** The most specific object an event names, else its session. */
function subjectOf({ data, sessionId }: SessionEvent): string {
  if ('approvalId' in data) return data.approvalId
  if ('questionId' in data) return data.questionId
  if ('callId' in data) return data.callId
  if ('toolUseId' in data && data.toolUseId !== null) return data.toolUseId
  if ('messageId' in data) return data.messageId
  if ('clientId' in data) return data.clientId
  if ('apiMessageId' in data) return data.apiMessageId
  return sessionId
}

type FieldsByType = { readonly [Type in EventType]?: readonly (keyof EventOfType<Type>['data'])[] }

/** The parts of an event that its entry repeats: names, numbers and choices, never text written by users. */
const copiedFields: FieldsByType = {
  AgentSessionCreated: ['owner', 'agentName', 'mode', 'model', 'modelSource', 'permissionMode', 'limits', 'forkedFrom'],
  AgentSessionStatusChanged: ['from', 'to'],
  AgentSessionCompleted: ['totalCostUsd', 'numTurns'],
  AgentSessionBudgetExceeded: ['totalCostUsd', 'limitUsd', 'budget'],
  AgentSessionTurnLimitReached: ['numTurns', 'limit'],
  AgentSessionRecovered: ['interruptedTurn', 'openApprovals'],
  AgentSessionForked: ['toSessionId', 'seq'],
  AgentSessionDetailsChanged: ['isArchived'],
  UserMessageQueued: ['origin', 'delivery'],
  UserMessagePromoted: ['delivery'],
  AgentInvokedTool: ['toolName'],
  ToolExecuted: ['toolName', 'isError'],
  UsageRecorded: ['model', 'tokens', 'costUsd', 'units', 'source'],
  ApprovalRequested: ['toolName', 'toolUseId', 'effects', 'expiresAt'],
  ApprovalDecided: ['decision', 'edited', 'wasLive'],
  ApprovalUsed: ['toolUseId'],
  QuestionAsked: ['source', 'server', 'toolUseId', 'expiresAt'],
  QuestionAnswered: ['wasLive'],
  ClientToolCalled: ['toolName', 'toolUseId', 'leader'],
  ClientToolReturned: ['isError', 'wasLive'],
  BudgetWarning: ['budget', 'unit', 'spent', 'limit'],
  BudgetChanged: ['from', 'to'],
  CostDrifted: ['reportedUsd', 'bookedUsd'],
  ModelChanged: ['from', 'to'],
  ModelFellBack: ['from', 'to'],
  PermissionModeChanged: ['from', 'to'],
  ThinkingChanged: ['from', 'to'],
  SecurityNoticed: ['code'],
}

function copiedFacts({ type, data }: SessionEvent): JsonObject {
  const fields: readonly string[] = copiedFields[type] ?? []
  if (fields.length === 0) return {}
  const facts: JsonObject = {}
  for (const field of fields) {
    const value: unknown = Reflect.get(data, field)
    if (value !== undefined) facts[field] = value
  }
  return facts
}

/** Hashes of answers and tool results, without their text. */
function contentHash(event: SessionEvent): JsonObject {
  if (event.type === 'ToolExecuted' || event.type === 'ClientToolReturned') {
    return { outputSha256: sha256(event.data.output) }
  }
  return event.type === 'QuestionAnswered' ? { answersSha256: sha256(JSON.stringify(event.data.answers)) } : {}
}
