// Views across sessions: what waits for a person, what waits in the queue, and the audit chain.
import { z } from 'zod'
import { AgentName } from '../agents/agent-definition.ts'
import { QueuePosition } from '../events/content.ts'
import { OpenApproval, OpenQuestion } from '../projections/session/session-state.ts'
import { BudgetId, SessionId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { route } from './route.ts'

const about = { sessionId: SessionId, agentName: z.string(), title: z.string() }

/** Everything that waits for a person, oldest first. */
export const InboxItem = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('approval'), at: z.iso.datetime(), ...about, approval: OpenApproval }),
    z.object({ type: z.literal('question'), at: z.iso.datetime(), ...about, question: OpenQuestion }),
    z.object({
      type: z.literal('budget'),
      /** The time at which it stopped. */
      at: z.iso.datetime(),
      ...about,
      spentUsd: z.number(),
      limitUsd: z.number(),
      /** The label of the budget that stopped it. */
      reason: z.string(),
      /** False if a budget other than the session's own must be raised. */
      isOwnLimit: z.boolean(),
      /** The budget to raise; absent for the session's own limit, and in logs from before budgets had ids. */
      budgetId: BudgetId.optional(),
    }),
  ])
  .meta({ id: 'InboxItem' })
export type InboxItem = z.infer<typeof InboxItem>

/**
 * An agent file that was changed or added while the server was running and waits for a person: every change on machines
 * without a sandbox, and new agents in the workspace of another agent elsewhere.
 */
export const AgentChange = z
  .object({
    agentName: z.string(),
    /** Identifies this content of the file: other content gets another version. */
    version: z.string(),
    at: z.iso.datetime(),
    /** Functions, hook scripts, MCP commands, allow rules and the like that the accepted version does not have. */
    added: z.array(z.string()).readonly(),
    /** No version is accepted yet: the agent cannot be used until an admin accepts this one. */
    isNew: z.boolean(),
  })
  .meta({ id: 'AgentChange' })
export type AgentChange = z.infer<typeof AgentChange>

export const DecideAgentChangeBody = z
  .strictObject({ version: z.string().min(1).max(64), decision: z.enum(['accept', 'reject']) })
  .meta({ id: 'DecideAgentChangeBody' })
export type DecideAgentChangeBody = z.infer<typeof DecideAgentChangeBody>

export const Inbox = z
  .object({
    items: z.array(InboxItem),
    /** Changes of agent files that wait for a decision. Only admin keys get them. */
    agentChanges: z.array(AgentChange).optional(),
  })
  .meta({ id: 'Inbox' })
export type Inbox = z.infer<typeof Inbox>

export const WarmedAgent = z.object({ isReady: z.boolean() }).meta({ id: 'WarmedAgent' })
export type WarmedAgent = z.infer<typeof WarmedAgent>

export const Queue = z
  .object({
    waiting: z.array(z.object({ ...about, queuePosition: QueuePosition, since: z.iso.datetime() })),
    /** The used and free capacity of the server. */
    processes: z.object({ resident: z.int(), limit: z.int(), spare: z.int() }),
    turns: z.object({ running: z.int(), limit: z.int() }),
  })
  .meta({ id: 'Queue' })
export type Queue = z.infer<typeof Queue>

export const AuditEntry = z
  .object({
    seq: z.int(),
    at: z.iso.datetime(),
    principal: z.string(),
    action: z.string(),
    sessionId: z.string().nullable(),
    eventSeq: z.int().nullable(),
    /** sha256 of that event as stored in the log. */
    eventHash: z.string().nullable(),
    subject: z.string(),
    detail: JsonObject,
    prevHash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

export const AuditQuery = z.strictObject({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})
export type AuditQuery = z.input<typeof AuditQuery>

export const AuditPage = z.object({ entries: z.array(AuditEntry) }).meta({ id: 'AuditPage' })
export type AuditPage = z.infer<typeof AuditPage>

export const AuditVerdict = z
  .discriminatedUnion('ok', [
    /** `hash` is that of the last entry: stored elsewhere, it proves later that no earlier entry was rewritten. */
    z.object({ ok: z.literal(true), entries: z.int(), hash: z.string() }),
    z.object({ ok: z.literal(false), seq: z.int(), problem: z.string(), detail: z.string() }),
  ])
  .meta({ id: 'AuditVerdict' })
export type AuditVerdict = z.infer<typeof AuditVerdict>

export const oversightRoutes = {
  inbox: route({
    method: 'get',
    path: '/v1/inbox',
    summary: 'Every open approval, question and stopped budget across sessions, oldest first',
    status: 200,
    needs: 'read',
    reply: Inbox,
    errors: [],
  }),
  queue: route({
    method: 'get',
    path: '/v1/queue',
    summary: 'Sessions that wait for a process, a turn or the provider, and the used capacity',
    status: 200,
    needs: 'read',
    reply: Queue,
    errors: [],
  }),
  decideAgentChange: route({
    method: 'post',
    path: '/v1/agents/{name}/change',
    summary: 'Accept or reject a waiting change of an agent file',
    status: 200,
    needs: 'manage',
    params: z.object({ name: AgentName }),
    body: DecideAgentChangeBody,
    reply: DecideAgentChangeBody,
    errors: ['agent.not-found', 'agent.change-not-found', 'config.invalid'],
  }),
  warm: route({
    method: 'post',
    path: '/v1/agents/{name}/warm',
    summary: 'Announce the use of an agent: keeps a process ready if there is capacity',
    status: 200,
    needs: 'work',
    params: z.object({ name: AgentName }),
    reply: WarmedAgent,
    errors: ['agent.not-found', 'config.invalid', 'config.missing-credential'],
  }),
  audit: route({
    method: 'get',
    path: '/v1/audit',
    summary: 'The audit chain, oldest first',
    status: 200,
    needs: 'manage',
    query: AuditQuery,
    reply: AuditPage,
    errors: [],
  }),
  verifyAudit: route({
    method: 'get',
    path: '/v1/audit/verify',
    summary: 'Verify every link of the audit chain and every event it covers',
    status: 200,
    needs: 'manage',
    reply: AuditVerdict,
    errors: [],
  }),
}
