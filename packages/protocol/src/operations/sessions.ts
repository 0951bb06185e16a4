import { z } from 'zod'
import { PermissionMode, PermissionRule } from '../access/tool-permissions.ts'
import { AgentName, Limits } from '../agents/agent-definition.ts'
import { AgentStreamSnapshot, QueuePosition } from '../events/content.ts'
import { SessionMode, Thinking } from '../events/lifecycle.ts'
import { ClientTool } from '../events/people.ts'
import { FilesRewound } from '../events/runtime.ts'
import { SessionState } from '../projections/session/session-state.ts'
import { SessionId, UserMessageId } from '../values/ids.ts'
import { MessageImages } from '../values/input-image.ts'
import { JsonObject } from '../values/json.ts'
import { SessionStatus } from '../values/session-status.ts'
import { operation } from './operation.ts'
import { ClientId } from './path-ids.ts'
import { plainText } from './plain-text.ts'
import { queryNumber } from './query-number.ts'

export const messageLimit = 200_000

export const MessageContent = z.string().min(1, 'must not be empty').max(messageLimit)

/** Labels to find a session by. */
const Tag = plainText(64).min(1)

const Title = plainText(200, 'must be one line of plain text').min(1)

/** A client with a name of its choice, and the tools that it runs. */
export const ClientDeclaration = z
  .strictObject({ clientId: ClientId, tools: z.array(ClientTool).max(100) })
  .meta({ id: 'ClientDeclaration' })

/** Limits may only be narrower than the agent file's. */
export const CreateSessionBody = z
  .strictObject({
    agent: AgentName,
    mode: SessionMode.default('chat'),
    message: MessageContent.optional(),
    /** Sent with the message. */
    images: MessageImages.optional(),
    model: plainText(200).min(1).optional(),
    permissionMode: PermissionMode.optional(),
    limits: Limits.partial().strict().optional(),
    thinking: Thinking.optional(),
    title: Title.optional(),
    tags: z.array(Tag).max(20).optional(),
    /** A client with its own tools that is attached from the start. */
    client: ClientDeclaration.optional(),
  })
  .refine((body) => body.images === undefined || body.message !== undefined, {
    path: ['images'],
    error: 'must go with a message',
  })
  .meta({ id: 'CreateSession' })
export type CreateSessionBody = z.input<typeof CreateSessionBody>

/** The reply to every change: `appliedSeq` is the last event it caused, so that a client reads its own writes. */
export const Applied = z
  .object({
    sessionId: SessionId,
    appliedSeq: z.int(),
    /** Sentences to show to a person, such as that the price of the chosen model is unknown. The change was made. */
    warnings: z.array(z.string()).optional(),
  })
  .meta({ id: 'Applied' })
export type Applied = z.infer<typeof Applied>

export const SessionSnapshot = z
  .object({
    session: SessionState,
    openTexts: z.array(AgentStreamSnapshot),
    /** Its current position in the queue, if it waits. */
    queuePosition: QueuePosition.nullable(),
  })
  .meta({ id: 'SessionSnapshot' })
export type SessionSnapshot = z.infer<typeof SessionSnapshot>

export const ListSessionsQuery = z.strictObject({
  status: SessionStatus.optional(),
  agent: AgentName.optional(),
  tag: Tag.optional(),
  owner: plainText(200).optional(),
  /** Part of the title. */
  text: plainText(200).optional(),
  /** Archived sessions are excluded by default. */
  archived: z.enum(['true', 'false', 'all']).optional(),
  limit: queryNumber(1, 200).default(50),
  cursor: z.string().max(200).optional(),
})
export type ListSessionsQuery = z.input<typeof ListSessionsQuery>

export const SessionPage = z
  .object({ sessions: z.array(SessionState), nextCursor: z.string().nullable() })
  .meta({ id: 'SessionPage' })
export type SessionPage = z.infer<typeof SessionPage>

/**
 * Only the settings to change. A session that reached a limit continues when the limit is raised. Only admin keys may
 * raise a limit above the agent file's.
 */
export const ChangeSessionBody = z
  .strictObject({
    model: plainText(200).min(1).optional(),
    permissionMode: PermissionMode.optional(),
    thinking: Thinking.optional(),
    title: Title.optional(),
    tags: z.array(Tag).max(20).optional(),
    isArchived: z.boolean().optional(),
    limits: Limits.partial().strict().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .meta({ id: 'ChangeSession' })
export type ChangeSessionBody = z.input<typeof ChangeSessionBody>

/**
 * Without `at`, the whole conversation; otherwise everything up to the event with that number, which must be a message.
 * At a message of the agent the fork keeps it. At a message of a person it ends before it and sends it, or `message`
 * instead, again.
 */
export const ForkSessionBody = z
  .strictObject({ at: z.int().positive().optional(), title: Title.optional(), message: MessageContent.optional() })
  .meta({ id: 'ForkSession' })
export type ForkSessionBody = z.input<typeof ForkSessionBody>

export const RewindSessionBody = z
  .strictObject({
    /** The state before this message. */
    messageId: UserMessageId,
    conversation: z.boolean().default(true),
    files: z.boolean().default(true),
    /** Only report the changes that would be made. */
    dryRun: z.boolean().default(false),
  })
  .refine((body) => body.conversation || body.files, 'must rewind the conversation, the files, or both')
  .meta({ id: 'RewindSession' })
export type RewindSessionBody = z.input<typeof RewindSessionBody>

export const RewindReport = z
  .object({
    sessionId: SessionId,
    appliedSeq: z.int(),
    conversation: z.boolean(),
    /** `null` if files were not requested. */
    files: FilesRewound.shape.data.pick({ restored: true, notRestored: true }).nullable(),
  })
  .meta({ id: 'RewindReport' })
export type RewindReport = z.infer<typeof RewindReport>

export const Capabilities = z
  .object({
    commands: z.array(z.object({ name: z.string(), description: z.string() })),
    models: z.array(z.object({ id: z.string(), label: z.string() })),
    tools: z.array(z.string()),
    agents: z.array(z.object({ name: z.string(), description: z.string() })),
    mcpServers: z.array(z.object({ name: z.string(), status: z.string() })),
    account: JsonObject.nullable(),
  })
  .meta({ id: 'Capabilities' })
export type Capabilities = z.infer<typeof Capabilities>

/** The conversation as messages, for display and export. */
export const History = z
  .object({
    /** The session that this one was forked from is deleted: its part of the conversation is missing. */
    isPartial: z.boolean(),
    messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string(), at: z.iso.datetime() })),
  })
  .meta({ id: 'History' })
export type History = z.infer<typeof History>

const SendSubagentMessageBody = z.strictObject({ content: MessageContent }).meta({ id: 'SendSubagentMessage' })

/** A change of one session. */
export const sessionWork = { permission: 'work', belongsTo: 'session', reply: Applied } as const

/** A read of one session. */
export const sessionRead = { method: 'get', permission: 'read', belongsTo: 'session', hasLargeReply: true } as const

const change = ['session.not-found', 'session.closed', 'session.busy', 'session.held-elsewhere'] as const

export const sessionOperations = {
  /** A retry after a crash finds the session of the first attempt by its seed. */
  createSession: operation({
    method: 'post',
    path: '/v1/sessions',
    rpc: 'session.start',
    summary: 'Start a session with an agent, optionally with its first message',
    status: 201,
    permission: 'work',
    belongsTo: 'none',
    startsWork: true,
    body: CreateSessionBody,
    takesImages: true,
    reply: Applied,
    errors: [
      'agent.not-found',
      'agent.unsandboxed',
      'agent.unconfirmed',
      'config.invalid',
      'config.missing-credential',
      'model.unknown',
    ],
  }),
  listSessions: operation({
    method: 'get',
    path: '/v1/sessions',
    rpc: 'session.list',
    summary: 'List sessions, newest first',
    permission: 'read',
    belongsTo: { owner: 'owner' },
    hasLargeReply: true,
    query: ListSessionsQuery,
    reply: SessionPage,
    errors: ['cursor.malformed'],
  }),
  getSession: operation({
    ...sessionRead,
    path: '/v1/sessions/{sessionId}',
    rpc: 'session.get',
    summary: 'Return a session as of its last event, with the text in progress',
    reply: SessionSnapshot,
    errors: ['session.not-found'],
  }),
  /** Asks the running turn to end. An event reports when it has. */
  interrupt: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/interrupt',
    rpc: 'session.interrupt',
    summary: 'Interrupt the running turn; the session can continue',
    errors: ['session.not-found', 'session.not-running', 'session.busy', 'session.held-elsewhere'],
  }),
  /** An event reports when the session is closed. */
  cancel: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/cancel',
    rpc: 'session.abort',
    summary: 'Stop all work and close the session as cancelled',
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  /** Also ends the process of the session. */
  close: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/close',
    rpc: 'session.close',
    summary: 'Close an idle session as completed',
    errors: ['session.not-found', 'session.closed', 'session.busy', 'session.held-elsewhere'],
  }),
  /** Model, mode and thinking apply from the next model request on. The conversation is kept. */
  changeSession: operation({
    method: 'patch',
    path: '/v1/sessions/{sessionId}',
    rpc: 'session.change',
    summary: 'Change model, permission mode, thinking, limits, title, tags or the archive mark; the context is kept',
    permission: 'decide',
    belongsTo: 'session',
    body: ChangeSessionBody,
    reply: Applied,
    errors: [...change, 'model.unknown'],
  }),
  deleteSession: operation({
    ...sessionWork,
    method: 'delete',
    path: '/v1/sessions/{sessionId}',
    rpc: 'session.delete',
    summary: 'Delete a session without a running turn: its log, transcript and workspace. The ledger keeps its usage',
    errors: ['session.not-found', 'session.busy', 'session.held-elsewhere'],
  }),
  pause: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/pause',
    rpc: 'session.pause',
    summary: 'Stop the running turn and hold the queue until the session is resumed',
    errors: [...change],
  }),
  resume: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/resume',
    rpc: 'session.resume',
    summary: 'Continue after a pause, an interruption or a crash',
    startsWork: true,
    errors: [...change, 'session.not-running'],
  }),
  fork: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/fork',
    rpc: 'session.fork',
    summary:
      'Create a session with the conversation up to a message; the agent answers a message of a person again. The original does not change',
    status: 201,
    startsWork: true,
    body: ForkSessionBody,
    errors: ['session.not-found', 'session.busy', 'session.held-elsewhere', 'rewind.unavailable'],
  }),
  rewind: operation({
    method: 'post',
    path: '/v1/sessions/{sessionId}/rewind',
    rpc: 'session.rewind',
    summary: 'Return the conversation, the files, or both to the state before a message, and report what was restored',
    permission: 'work',
    belongsTo: 'session',
    body: RewindSessionBody,
    reply: RewindReport,
    errors: [...change, 'message.not-found', 'rewind.unavailable'],
  }),
  /** Nothing is started if there is no capacity. */
  wake: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/wake',
    rpc: 'session.wake',
    summary: 'Announce a message: starts the process now if there is capacity',
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  capabilities: operation({
    ...sessionRead,
    path: '/v1/sessions/{sessionId}/capabilities',
    rpc: 'session.capabilities',
    summary: 'List the capabilities of this session: commands, models, tools, subagents, MCP servers, account',
    reply: Capabilities,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere'],
  }),
  history: operation({
    ...sessionRead,
    path: '/v1/sessions/{sessionId}/history',
    rpc: 'session.history',
    summary: 'Return the conversation as messages, including the part before a fork',
    reply: History,
    errors: ['session.not-found'],
  }),
  messageSubagent: operation({
    ...sessionWork,
    method: 'post',
    path: '/v1/sessions/{sessionId}/subagents/{agentId}/messages',
    rpc: 'session.messageSubagent',
    summary: 'Send a message to one subagent, through the lead; the subagent keeps its context',
    status: 201,
    startsWork: true,
    body: SendSubagentMessageBody,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere', 'subagent.not-found'],
  }),
  revokeRule: operation({
    method: 'post',
    path: '/v1/sessions/{sessionId}/rules/revoke',
    rpc: 'session.revokeRule',
    summary: 'Remove a rule that "allow for this session" added; the session lists its rules',
    permission: 'decide',
    belongsTo: 'session',
    body: PermissionRule,
    reply: Applied,
    errors: ['session.not-found', 'session.closed', 'session.held-elsewhere', 'approval.rule-not-found'],
  }),
}
