// The commands of a session. `decide(state, command)` in the engine turns each into events or refuses it.

import type { PermissionMode, PermissionRule } from '../access/tool-permissions.ts'
import type { AgentName, Limits, ModelSource } from '../agents/agent-definition.ts'
import type { AgentPath } from '../events/envelope.ts'
import type { BudgetSum, SessionMode, Thinking } from '../events/lifecycle.ts'
import type { MessageDelivery, MessageOrigin, UnsavedMessage } from '../events/messages.ts'
import type { ApprovalDecision, ClientTool } from '../events/people.ts'
import type { EventDraft } from '../events/session-event.ts'
import type { Unreported } from '../events/unreported.ts'
import type { ApprovalId, AskId, BudgetId, SessionId, TurnId, UserMessageId } from '../values/ids.ts'
import type { InputImage } from '../values/input-image.ts'
import type { JsonObject } from '../values/json.ts'

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
  readonly thinking: Thinking
  /** Set if it differs from `by`. */
  readonly owner?: string
  readonly instructions?: string
  readonly allowedTools?: readonly string[]
  readonly forkedFrom?: { readonly sessionId: SessionId; readonly seq: number }
  readonly backendSessionId?: string
  readonly unsaved?: readonly UnsavedMessage[]
  readonly seed?: string
  readonly by: string
}

export interface SendMessage {
  readonly type: 'message.send'
  readonly messageId: UserMessageId
  readonly content: string
  readonly origin: MessageOrigin
  readonly delivery: MessageDelivery
  readonly images?: readonly InputImage[]
  readonly by: string
}

/** Starts a turn with the next queued message. */
export interface StartTurn {
  readonly type: 'turn.start'
  readonly turnId: TurnId
  /** The model chosen by the rules, if the session leaves the choice to them. */
  readonly choice?: { readonly model: string; readonly rule: string; readonly reason: string }
  /** A budget other than the session's own has nothing left for this turn. */
  readonly stop?: LimitStop
}

/** Turns the last event of the backend into the end of the turn and the status of the session. */
export interface EndTurn {
  readonly type: 'turn.end'
  readonly ended: EventDraft<'TurnEnded'>
  /** True if the process is gone without a person's request: its asks stay open and can still be decided. */
  readonly keepsAsks: boolean
  /** False if the agent did not get the message of the turn. True by default. */
  readonly isHandedOver?: boolean
  /** The id of the message that tells the agent about decisions. */
  readonly wakeMessageId: UserMessageId
  /** The limit that stopped it, if known. */
  readonly stop?: LimitStop
  /** The limits that applied, if known: they may have been raised while it ran. */
  readonly heldTo?: Partial<Limits>
}

/** `budget` is its label. Everything except `message`, the whole sentence, is absent for the session's own limit. */
export interface LimitStop {
  readonly budget?: string
  readonly budgetId?: BudgetId
  readonly sum?: BudgetSum
  readonly message: string
}

export interface InterruptTurn {
  readonly type: 'turn.interrupt'
  readonly by: string
}

/** The agent waits for a person or a client. `asked` has no turn yet: only the running turn can ask. */
export interface RequestAsk {
  readonly type: 'ask.request'
  readonly asked: EventDraft<'ApprovalRequested' | 'QuestionAsked' | 'ClientToolCalled'>
}

/** A re-issued call waits for the answer to an ask that an earlier turn left open. */
export interface TakeUpAsk {
  readonly type: 'ask.take-up'
  readonly id: AskId
  /** The re-issued call; `null` if the backend does not name it. */
  readonly toolUseId: string | null
}

export interface AnswerAsk {
  readonly type: 'ask.answer'
  readonly id: AskId
  /** Of the kind of the ask. */
  readonly answer: AskAnswer
  readonly by: string
  /** True while a process waits for this answer. */
  readonly isLive: boolean
  /** True while the engine stops the process that asked: the answer may arrive before its turn is over. */
  readonly keepsAsks?: boolean
  /** The id of the message that wakes the agent when no process waits. */
  readonly wakeMessageId: UserMessageId
}

export type AskAnswer = ApprovalAnswer | QuestionAnswer | ClientCallAnswer

export interface ApprovalAnswer {
  readonly decision: ApprovalDecision
  /** An edited input; `null` for the requested one. */
  readonly input: JsonObject | null
  /** Of an edited input. */
  readonly inputHash?: string
  /** With `allow_session`: one of the offered rules; the narrowest one by default. */
  readonly rule?: PermissionRule
  readonly note: string | null
}

/** `answers: null` declines. */
export interface QuestionAnswer {
  readonly answers: JsonObject | null
  readonly note: string | null
}

export interface ClientCallAnswer {
  readonly output: string
  readonly isError: boolean
}

export interface ExpireAsk {
  readonly type: 'ask.expire'
  readonly id: AskId
  readonly wakeMessageId: UserMessageId
}

/** A re-issued call matched its grant. */
export interface UseGrant {
  readonly type: 'approval.use'
  readonly approvalId: ApprovalId
  readonly toolUseId: string
}

/** Changes, cancels or promotes a queued message. */
export interface EditMessage {
  readonly type: 'message.edit'
  readonly messageId: UserMessageId
  readonly content: string
  readonly by: string
}

export interface CancelMessage {
  readonly type: 'message.cancel'
  readonly messageId: UserMessageId
  readonly by: string
}

export interface PromoteMessage {
  readonly type: 'message.promote'
  readonly messageId: UserMessageId
  /** Added to the running turn, as if it had been sent with its message. */
  readonly delivery?: 'immediate' | undefined
  readonly by: string
}

/** The running turn has taken a queued message. */
export interface SteerTurn {
  readonly type: 'turn.steer'
  readonly messageId: UserMessageId
}

/** Only the settings to change. */
export interface ChangeSettings {
  readonly type: 'session.change'
  readonly model?: string
  readonly permissionMode?: PermissionMode
  readonly thinking?: Thinking
  readonly title?: string
  readonly tags?: readonly string[]
  readonly isArchived?: boolean
  readonly limits?: Limits
  /** The id of the message that continues a session which had run out of money or turns. */
  readonly continueMessageId: UserMessageId
  readonly by: string
}

export interface PauseSession {
  readonly type: 'session.pause'
  readonly by: string
}

export interface ResumeSession {
  readonly type: 'session.resume'
  /** The id of the message that continues interrupted work. */
  readonly continueMessageId: UserMessageId
  readonly by: string
}

/** Recorded in the session that was forked. */
export interface NoteFork {
  readonly type: 'session.note-fork'
  readonly toSessionId: SessionId
  readonly seq: number
  readonly by: string
}

export interface RewindConversation {
  readonly type: 'session.rewind'
  readonly messageId: UserMessageId
  /** The event that delivered the message: later asks are discarded with it. */
  readonly seq: number
  readonly backendSessionId: string | null
  readonly unsaved?: readonly UnsavedMessage[]
  readonly by: string
  /** The id of the message that reports answers to asks which are not discarded. */
  readonly wakeMessageId: UserMessageId
}

/** The process ends; the session stays. */
export interface HibernateSession {
  readonly type: 'session.hibernate'
  readonly reason: 'idle' | 'memory' | 'waiting' | 'recycled' | 'drain'
}

export interface WakeSession {
  readonly type: 'session.wake'
  readonly reason: 'message' | 'intent'
}

export interface RevokeRule {
  readonly type: 'rule.revoke'
  readonly rule: PermissionRule
  readonly by: string
}

export interface AttachClient {
  readonly type: 'client.attach'
  readonly clientId: string
  readonly tools: readonly ClientTool[]
  readonly by: string
}

export interface DetachClient {
  readonly type: 'client.detach'
  readonly clientId: string
  readonly by: string
}

/** Answers that were recorded as delivered to a turn that stopped before it received them. */
export interface MissAnswers {
  readonly type: 'answer.miss'
  readonly missed: readonly Unreported[]
  readonly keepsAsks: boolean
}

export interface CancelSession {
  readonly type: 'session.cancel'
  readonly by: string
}

/** The backend has ended after a cancel: the second phase. */
export interface ConfirmCancel {
  readonly type: 'session.confirm-cancel'
}

export interface CloseSession {
  readonly type: 'session.close'
  readonly by: string
}

/** After a crash of the server: records the interrupted work and the open asks. */
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
  | RequestAsk
  | TakeUpAsk
  | AnswerAsk
  | ExpireAsk
  | UseGrant
  | EditMessage
  | CancelMessage
  | PromoteMessage
  | SteerTurn
  | ChangeSettings
  | PauseSession
  | ResumeSession
  | NoteFork
  | RewindConversation
  | HibernateSession
  | WakeSession
  | RevokeRule
  | AttachClient
  | DetachClient
  | MissAnswers
  | CancelSession
  | ConfirmCancel
  | CloseSession
  | RecoverSession
