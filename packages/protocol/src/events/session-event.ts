// The catalog of events: all events of a log, and the few that are only streamed.
import { z } from 'zod'
import type { TurnId } from '../values/ids.ts'
import * as content from './content.ts'
import type { AgentPath } from './envelope.ts'
import * as lifecycle from './lifecycle.ts'
import * as messages from './messages.ts'
import * as money from './money.ts'
import * as people from './people.ts'
import * as runtime from './runtime.ts'
import * as turns from './turns.ts'

export const SessionEvent = z
  .discriminatedUnion('type', [
    lifecycle.AgentSessionCreated,
    lifecycle.AgentSessionStarted,
    lifecycle.AgentSessionStatusChanged,
    lifecycle.AgentSessionCompleted,
    lifecycle.AgentSessionFailed,
    lifecycle.AgentSessionBudgetExceeded,
    lifecycle.AgentSessionTurnLimitReached,
    lifecycle.AgentSessionRecovered,
    lifecycle.AgentSessionForked,
    lifecycle.AgentSessionRewound,
    lifecycle.AgentSessionHibernated,
    lifecycle.AgentSessionWoken,
    lifecycle.AgentSessionDetailsChanged,
    turns.TurnStarted,
    turns.TurnEnded,
    content.AgentThought,
    content.AgentThinking,
    content.AgentInvokedTool,
    content.ToolExecuted,
    content.SubagentThought,
    content.SubagentStarted,
    content.SubagentStopped,
    content.AgentStreamDiscarded,
    messages.UserMessageQueued,
    messages.UserMessageDelivered,
    messages.UserMessageReturned,
    messages.UserMessageEdited,
    messages.UserMessageCancelled,
    messages.UserMessagePromoted,
    people.ApprovalRequested,
    people.ApprovalDecided,
    people.ApprovalExpired,
    people.ApprovalTakenUp,
    people.ApprovalUsed,
    people.ApprovalUnused,
    people.SessionRuleRevoked,
    people.QuestionAsked,
    people.QuestionAnswered,
    people.QuestionExpired,
    people.QuestionTakenUp,
    people.ClientAttached,
    people.ClientDetached,
    people.ClientToolCalled,
    people.ClientToolReturned,
    people.ClientToolTakenUp,
    people.ClientToolExpired,
    people.AnswerMissed,
    money.UsageRecorded,
    money.ModelChosen,
    money.BudgetWarning,
    money.BudgetChanged,
    money.CostDrifted,
    runtime.ModelRequestRetrying,
    runtime.ModelFellBack,
    runtime.ModelChanged,
    runtime.PermissionModeChanged,
    runtime.ThinkingChanged,
    runtime.ContextNearingLimit,
    runtime.FilesCheckpointed,
    runtime.FilesRewound,
    runtime.AgentContextCompacted,
    runtime.McpServerStatusChanged,
    runtime.BackendCrashed,
    runtime.RawBackendMessage,
    runtime.SecurityNoticed,
  ])
  .meta({ id: 'SessionEvent' })
export type SessionEvent = z.infer<typeof SessionEvent>

export type EventType = SessionEvent['type']
export type EventOfType<Type extends EventType> = Extract<SessionEvent, { type: Type }>

/** An event before the log gives it a number, an id and a time. */
export type EventDraft<Type extends EventType = EventType> = {
  [One in Type]: {
    readonly type: One
    readonly agent: AgentPath
    readonly turnId?: TurnId
    readonly data: EventOfType<One>['data']
  }
}[Type]

/** Streamed, never stored: has no `seq`. */
export const EphemeralEvent = z
  .discriminatedUnion('type', [content.AgentStreamToken, content.AgentStreamSnapshot, content.QueuePlaceChanged])
  .meta({ id: 'EphemeralEvent' })
export type EphemeralEvent = z.infer<typeof EphemeralEvent>

export type StreamedEvent = SessionEvent | EphemeralEvent

export const isDurable = (event: StreamedEvent): event is SessionEvent => 'seq' in event

/** A draft of an event of the lead agent. */
export function draft<Type extends EventType>(
  type: Type,
  data: EventOfType<Type>['data'],
  origin: { agent?: AgentPath; turnId?: TurnId } = {},
): EventDraft<Type> {
  const base = { type, agent: origin.agent ?? null, data }
  return origin.turnId === undefined ? base : { ...base, turnId: origin.turnId }
}
