// The answers that processes wait for, by kind.
import type { ApprovalId, ClientCallId, JsonObject, QuestionId } from '@quarterdeck/protocol'
import type { ClientToolCaller, QuestionReply } from '../../backends/backend.ts'
import { type AskWaiters, createAskWaiters, type WaitHooks } from './ask-waiters.ts'

/** `input: null` lets the call run as it was asked for. */
export type ApprovalAnswer =
  | { readonly type: 'allow'; readonly input: JsonObject | null }
  | { readonly type: 'deny'; readonly message: string }

export type ApprovalWaiters = AskWaiters<ApprovalId, ApprovalAnswer>
export type QuestionWaiters = AskWaiters<QuestionId, QuestionReply>

export type ClientResult = Awaited<ReturnType<ClientToolCaller['call']>>
export type ClientCallWaiters = AskWaiters<ClientCallId, ClientResult>

/** What a call hears that waits for a person when its turn is stopped. */
export const stoppedTurn = { type: 'deny', message: 'The turn was interrupted before a person decided.' } as const

export const createApprovalWaiters = (hooks: WaitHooks): ApprovalWaiters => createAskWaiters(hooks, stoppedTurn)

export const createQuestionWaiters = (hooks: WaitHooks): QuestionWaiters =>
  createAskWaiters(hooks, { type: 'declined', message: 'The turn was interrupted before a person answered.' })

export const createClientCallWaiters = (hooks: WaitHooks): ClientCallWaiters =>
  createAskWaiters(hooks, { output: 'The turn was interrupted before a client returned a result.', isError: true })
