import type {
  ApprovalAnswer,
  ApprovalId,
  AskId,
  AskWith,
  ClientCallAnswer,
  ErrorCode,
  EventDraft,
  JsonObject,
  QuestionAnswer,
  QuestionId,
  SessionState,
  Unreported,
} from '@quarterdeck/protocol'
import type { ClientToolCaller } from '../../../backends/backend.ts'
import type { QuestionReply } from '../../../ports/question-asker.ts'

/** `input: null` lets the call run as it was asked for: the process still has its own input, complete with secrets. */
export type ApprovalReply =
  | { readonly type: 'allow'; readonly input: JsonObject | null }
  | { readonly type: 'deny'; readonly message: string }

export type ClientResult = Awaited<ReturnType<ClientToolCaller['call']>>

/** The value with which the waiting call of an ask continues. */
export type ReplyTo<Id extends AskId> = Id extends ApprovalId
  ? ApprovalReply
  : Id extends QuestionId
    ? QuestionReply
    : ClientResult

/** The answer that a person or a client gives. */
export type AnswerTo<Id extends AskId> = Id extends ApprovalId
  ? ApprovalAnswer
  : Id extends QuestionId
    ? QuestionAnswer
    : ClientCallAnswer

/** The report of an answer that no process received. */
export type ReportOn<Id extends AskId> = Extract<Unreported, { approvalId: Id } | { questionId: Id } | { callId: Id }>

/** Everything that differs between the kinds of asks. */
export interface AskStrategy<Id extends AskId = AskId> {
  readonly noun: string
  readonly status: 'waiting_approval' | 'waiting_user' | 'waiting_client'
  readonly errors: { readonly unknown: ErrorCode; readonly settled: ErrorCode }
  /** The reply when the ask expires without an answer. */
  readonly expiredReply: ReplyTo<Id>
  /** The reply when the turn is stopped. */
  readonly stoppedReply: ReplyTo<Id>
  takenUp(id: Id, call: { readonly toolUseId?: string }): EventDraft
  expired(id: Id): EventDraft
  /** Checks the answer. Throws `request.invalid` with the problem. */
  answered(
    request: AskWith<Id>['request'],
    answer: AnswerTo<Id>,
    given: { readonly by: string; readonly wasLive: boolean },
  ): EventDraft
  /** The answer as the person gave it: the logged one has its secrets removed. */
  reply(answer: AnswerTo<Id>, by: string): ReplyTo<Id>
  /** How a settled ask was settled, in words and as the facts of an error. `null` if it is unknown. */
  settlement(state: SessionState, id: Id): { readonly what: string; readonly facts: Record<string, string> } | null
  /** The line of the message that wakes the agent. */
  wakeLine(report: ReportOn<Id>): string
  /** The report of a received answer whose call was stopped before it had a result; `null` for none. */
  stopped(report: ReportOn<Id>): Unreported | null
}
