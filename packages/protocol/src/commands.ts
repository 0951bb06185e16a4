// What can be asked of a session. `decide(state, command)` in the engine turns each into events or refuses it.
import type { AgentName, Limits, ModelSource } from './agent.ts'
import type { AgentPath } from './events/envelope.ts'
import type { SessionMode } from './events/lifecycle.ts'
import type { MessageOrigin } from './events/messages.ts'
import type { ApprovalDecision } from './events/people.ts'
import type { EventDraft } from './events/session-event.ts'
import type { ApprovalId, TurnId, UserMessageId } from './ids.ts'
import type { JsonObject } from './json.ts'
import type { EffectClass, PermissionMode, PermissionRule } from './permissions.ts'

export interface CreateSession {
  readonly type: 'session.create'
  readonly agentName: AgentName
  readonly mode: SessionMode
  readonly model: string
  readonly modelSource: ModelSource
  readonly permissionMode: PermissionMode
  readonly limits: Limits
  readonly cwd: string
  readonly title: string | null
  readonly tags: readonly string[]
  readonly by: string
}

export interface SendMessage {
  readonly type: 'message.send'
  readonly messageId: UserMessageId
  readonly content: string
  readonly origin: MessageOrigin
  readonly by: string
}

/** Takes the next queued message into a turn. */
export interface StartTurn {
  readonly type: 'turn.start'
  readonly turnId: TurnId
}

/** What the backend said last, turned into the end of the turn and the state the session rests in. */
export interface EndTurn {
  readonly type: 'turn.end'
  readonly ended: EventDraft<'TurnEnded'>
  /** True where the process is gone but not by a person's wish: what it asked stays open and can still be decided. */
  readonly keepsApprovals: boolean
  /** Names the message that tells the agent what was decided without it. */
  readonly wakeMessageId: UserMessageId
}

export interface InterruptTurn {
  readonly type: 'turn.interrupt'
  readonly by: string
}

export interface RequestApproval {
  readonly type: 'approval.request'
  readonly approvalId: ApprovalId
  readonly toolName: string
  readonly toolUseId: string
  readonly toolInput: JsonObject
  readonly agent: AgentPath
  readonly effects: readonly EffectClass[]
  readonly rule: string
  readonly sessionRule: PermissionRule
  readonly expiresAt: string | null
  readonly insteadOf: { readonly approvalId: ApprovalId; readonly toolInput: JsonObject } | null
}

/** A re-issued call waits for the answer to a question that an earlier turn left open. */
export interface TakeUpApproval {
  readonly type: 'approval.take-up'
  readonly approvalId: ApprovalId
}

export interface DecideApproval {
  readonly type: 'approval.decide'
  readonly approvalId: ApprovalId
  readonly decision: ApprovalDecision
  readonly input: JsonObject | null
  readonly note: string | null
  readonly by: string
  /** True while a process waits for this answer. */
  readonly isLive: boolean
  /** Names the message that wakes the agent when no process waits. */
  readonly wakeMessageId: UserMessageId
}

export interface ExpireApproval {
  readonly type: 'approval.expire'
  readonly approvalId: ApprovalId
  readonly wakeMessageId: UserMessageId
}

/** A re-issued call met its grant. */
export interface UseGrant {
  readonly type: 'approval.use'
  readonly approvalId: ApprovalId
  readonly toolUseId: string
}

export interface ChangeModel {
  readonly type: 'model.change'
  readonly model: string
  readonly by: string
}

export interface CancelSession {
  readonly type: 'session.cancel'
  readonly by: string
}

/** The backend is gone after a cancel: the second phase. */
export interface ConfirmCancel {
  readonly type: 'session.confirm-cancel'
}

export interface CloseSession {
  readonly type: 'session.close'
  readonly by: string
}

/** After a crash of the server: says what was cut off and what is still open. */
export interface RecoverSession {
  readonly type: 'session.recover'
  readonly openTexts: readonly { readonly messageId: string; readonly agent: AgentPath; readonly text: string }[]
  readonly wakeMessageId: UserMessageId
}

export type Command =
  | CreateSession
  | SendMessage
  | StartTurn
  | EndTurn
  | InterruptTurn
  | RequestApproval
  | TakeUpApproval
  | DecideApproval
  | ExpireApproval
  | UseGrant
  | ChangeModel
  | CancelSession
  | ConfirmCancel
  | CloseSession
  | RecoverSession
