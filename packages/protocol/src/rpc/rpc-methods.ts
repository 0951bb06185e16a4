// The session API as JSON-RPC 2.0, the same over a WebSocket and over a pipe. A method is another name of an
// operation: its params are the path, query and body in one object, its result is the reply.
import { z } from 'zod'
import { DecideApprovalBody } from '../operations/approvals.ts'
import { ReturnClientCallBody } from '../operations/clients.ts'
import type { Operation } from '../operations/operation.ts'
import { operations } from '../operations/operations.ts'
import { AnswerQuestionBody } from '../operations/questions.ts'
import { ClientDeclaration } from '../operations/sessions.ts'
import { OpenApproval, OpenClientCall, OpenQuestion } from '../projections/session/session-state.ts'
import { SessionId } from '../values/ids.ts'

type Table = typeof operations

/** The operation of each method. */
type RpcMethods = {
  readonly [Name in keyof Table as Table[Name]['rpc'] extends string ? Table[Name]['rpc'] : never]: Table[Name]
}
export type RpcMethod = keyof RpcMethods

/** Changes except `key.create` accept `idempotencyKey`: sent again with the same key they happen once. */
export const rpcMethods = Object.fromEntries(
  Object.values<Operation>(operations).flatMap((one) => (one.rpc === null ? [] : [[one.rpc, one]])),
) as unknown as RpcMethods // by the same field

/**
 * `session.subscribe`: everything after `after`, then live, as `session.event` notifications. Asks of the kinds in
 * `handles` are sent to this client as requests; all others it only sees as events. A second subscription to a session
 * replaces the first.
 *
 * - `session.event` (`sessionId`, `event`): `event` equals `data` of the event stream over HTTP, text in progress
 *   included.
 * - `session.ended` (`sessionId`, `code`, `message`): no more events will be sent, for this reason. Subscribe again with
 *   the last `seq`; the connection stays open.
 */
export const SubscribeParams = z.strictObject({
  sessionId: SessionId,
  after: z.int().nonnegative().default(0),
  handles: z.array(z.enum(['approvals', 'questions', 'tools'])).default([]),
  /** The id of this client in the session if another connection attached it: its calls are sent here. */
  clientId: ClientDeclaration.shape.clientId.optional(),
})
export type SubscribeParams = z.infer<typeof SubscribeParams>

/** `session.unsubscribe`. */
export const UnsubscribeParams = z.strictObject({ sessionId: SessionId })

/**
 * Requests to the client, and the shape of their results. An error instead of a result leaves the ask open for others.
 * If another client answered first, `$/cancelRequest {id}` is sent, and a later result is dropped.
 */
export const rpcRequests = {
  'approval.request': { params: OpenApproval, result: DecideApprovalBody },
  'question.ask': { params: OpenQuestion, result: AnswerQuestionBody },
  'tool.call': { params: OpenClientCall, result: ReturnClientCallBody },
} as const

/** The error codes of JSON-RPC, and one for all refusals of Quarterdeck; `data` is then the problem. */
export const rpcErrorCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  refused: -32_000,
} as const
