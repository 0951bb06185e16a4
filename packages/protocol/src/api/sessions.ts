import { z } from 'zod'
import { AgentName, Limits } from '../agent.ts'
import { AgentStreamSnapshot } from '../events/content.ts'
import { SessionMode } from '../events/lifecycle.ts'
import { SessionId } from '../ids.ts'
import { PermissionMode } from '../permissions.ts'
import { SessionState } from '../projection/session.ts'
import { SessionStatus } from '../session-status.ts'
import { route } from './route.ts'

export const messageLimit = 200_000

export const MessageContent = z.string().min(1, 'must not be empty').max(messageLimit)

/** Words to find a session by: no control characters, no halves of characters. */
const Tag = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must be plain text')

export const SessionParams = z.object({ sessionId: SessionId })

/** Limits may only be narrower than the agent file's. */
export const CreateSessionBody = z
  .strictObject({
    agent: AgentName,
    mode: SessionMode.default('chat'),
    message: MessageContent.optional(),
    model: z.string().min(1).max(200).optional(),
    permissionMode: PermissionMode.optional(),
    limits: Limits.partial().strict().optional(),
    title: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\p{Cc}\p{Cs}]+$/u, 'must be one line of plain text')
      .optional(),
    tags: z.array(Tag).max(20).optional(),
  })
  .meta({ id: 'CreateSession' })
export type CreateSessionBody = z.input<typeof CreateSessionBody>

/** The reply to every change: `appliedSeq` is the last event it made, so that a client reads its own writes. */
export const Applied = z.object({ sessionId: SessionId, appliedSeq: z.int() }).meta({ id: 'Applied' })
export type Applied = z.infer<typeof Applied>

export const SessionSnapshot = z
  .object({ session: SessionState, openTexts: z.array(AgentStreamSnapshot) })
  .meta({ id: 'SessionSnapshot' })
export type SessionSnapshot = z.infer<typeof SessionSnapshot>

export const ListSessionsQuery = z.strictObject({
  status: SessionStatus.optional(),
  agent: AgentName.optional(),
  tag: Tag.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
})
export type ListSessionsQuery = z.input<typeof ListSessionsQuery>

export const SessionPage = z
  .object({ sessions: z.array(SessionState), nextCursor: z.string().nullable() })
  .meta({ id: 'SessionPage' })
export type SessionPage = z.infer<typeof SessionPage>

export const sessionRoutes = {
  create: route({
    method: 'post',
    path: '/v1/sessions',
    summary: 'Start a session with an agent, optionally with its first message',
    status: 201,
    body: CreateSessionBody,
    reply: Applied,
    errors: ['agent.not-found', 'config.invalid', 'config.missing-credential', 'model.unknown', 'server.draining'],
  }),
  list: route({
    method: 'get',
    path: '/v1/sessions',
    summary: 'Sessions, newest first',
    status: 200,
    query: ListSessionsQuery,
    reply: SessionPage,
    errors: ['cursor.malformed'],
  }),
  get: route({
    method: 'get',
    path: '/v1/sessions/{sessionId}',
    summary: 'A session as of its last event, with the text in progress',
    status: 200,
    params: SessionParams,
    reply: SessionSnapshot,
    errors: ['session.not-found'],
  }),
  interrupt: route({
    method: 'post',
    path: '/v1/sessions/{sessionId}/interrupt',
    summary: 'Stop the running turn; the session can go on',
    status: 200,
    params: SessionParams,
    reply: Applied,
    errors: ['session.not-found', 'session.not-running', 'session.busy', 'session.held-elsewhere'],
  }),
  cancel: route({
    method: 'post',
    path: '/v1/sessions/{sessionId}/cancel',
    summary: 'Stop whatever runs and close the session as cancelled',
    status: 200,
    params: SessionParams,
    reply: Applied,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  close: route({
    method: 'post',
    path: '/v1/sessions/{sessionId}/close',
    summary: 'Close an idle session as completed',
    status: 200,
    params: SessionParams,
    reply: Applied,
    errors: ['session.not-found', 'session.closed', 'session.busy', 'session.held-elsewhere'],
  }),
}
