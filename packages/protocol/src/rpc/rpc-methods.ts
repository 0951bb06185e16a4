// The session API as JSON-RPC 2.0, the same over a WebSocket and over a pipe. A method is another name of a route: its
// params are the route's path, query and body in one object, its result is the route's reply.
import { z } from 'zod'
import { approvalRoutes, DecideApprovalBody } from '../operations/approvals.ts'
import { clientRoutes, ReturnClientCallBody } from '../operations/clients.ts'
import { eventRoutes } from '../operations/events.ts'
import { messageRoutes } from '../operations/messages.ts'
import { oversightRoutes } from '../operations/oversight.ts'
import { AnswerQuestionBody, questionRoutes } from '../operations/questions.ts'
import type { Route } from '../operations/route.ts'
import { serverRoutes } from '../operations/server-info.ts'
import { ClientDeclaration, sessionRoutes } from '../operations/sessions.ts'
import { OpenApproval, OpenClientCall, OpenQuestion } from '../projections/session/session-state.ts'
import { SessionId } from '../values/ids.ts'

/** Changes accept `idempotencyKey` beside their params: sent again with the same key they happen once. */
export const rpcMethods = {
  'session.start': sessionRoutes.create,
  'session.list': sessionRoutes.list,
  'session.get': sessionRoutes.get,
  'session.message': messageRoutes.send,
  'session.interrupt': sessionRoutes.interrupt,
  'session.abort': sessionRoutes.cancel,
  'session.close': sessionRoutes.close,
  'session.change': sessionRoutes.change,
  'session.pause': sessionRoutes.pause,
  'session.resume': sessionRoutes.resume,
  'session.fork': sessionRoutes.fork,
  'session.rewind': sessionRoutes.rewind,
  'session.history': sessionRoutes.history,
  'session.events': eventRoutes.read,
  'session.approvals': approvalRoutes.list,
  'session.approve': approvalRoutes.decide,
  'session.questions': questionRoutes.list,
  'session.answer': questionRoutes.answer,
  'session.attach': clientRoutes.attach,
  'session.detach': clientRoutes.detach,
  'session.toolCalls': clientRoutes.calls,
  'session.toolResult': clientRoutes.giveBack,
  'inbox.list': oversightRoutes.inbox,
  'agent.list': serverRoutes.agents,
  'model.list': serverRoutes.models,
  'server.info': serverRoutes.info,
} as const satisfies Record<string, Route>

export type RpcMethod = keyof typeof rpcMethods

/**
 * `session.subscribe`: everything after `after`, then live, as `session.event` notifications. Asks of the kinds in
 * `handles` are sent to this client as requests; all others it only sees as events.
 */
export const SubscribeParams = z.strictObject({
  sessionId: SessionId,
  after: z.int().nonnegative().default(0),
  handles: z.array(z.enum(['approvals', 'questions', 'tools'])).default([]),
  /** The id of this client in the session if another connection attached it: its calls are sent here. */
  clientId: ClientDeclaration.shape.clientId.optional(),
})
export type SubscribeParams = z.infer<typeof SubscribeParams>

/** A connection subscribes to a session once: a second subscription replaces the first. */
export const Subscribed = z.object({ sessionId: SessionId, after: z.int() })

/** `session.unsubscribe`. */
export const UnsubscribeParams = z.strictObject({ sessionId: SessionId })

/** `session.event`: `event` equals `data` of the event stream over HTTP, text in progress included. */
export interface EventNotification {
  readonly sessionId: SessionId
  readonly event: unknown
}

/**
 * `session.ended`: no more events will be sent, for this reason. Subscribe again with the last `seq`; the connection
 * stays open.
 */
export interface EndedNotification {
  readonly sessionId: SessionId
  readonly code: string
  readonly message: string
}

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
