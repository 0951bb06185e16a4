// Views across sessions: requests to people, the queue, and the audit chain.
import { z } from 'zod'
import { QueuePosition } from '../events/content.ts'
import { OpenApproval, OpenQuestion } from '../projections/session/session-state.ts'
import { BudgetId, SessionId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { AgentChange } from './agents.ts'
import { operation } from './operation.ts'
import { queryNumber } from './query-number.ts'

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

const AuditEntry = z
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

const AuditQuery = z.strictObject({ after: queryNumber(0).default(0), limit: queryNumber(1, 1000).default(100) })

const AuditPage = z.object({ entries: z.array(AuditEntry) }).meta({ id: 'AuditPage' })

const AuditVerdict = z
  .discriminatedUnion('ok', [
    /** `hash` is that of the last entry: stored elsewhere, it proves later that no earlier entry was rewritten. */
    z.object({ ok: z.literal(true), entries: z.int(), hash: z.string() }),
    z.object({ ok: z.literal(false), seq: z.int(), problem: z.string(), detail: z.string() }),
  ])
  .meta({ id: 'AuditVerdict' })

export const oversightOperations = {
  inbox: operation({
    method: 'get',
    path: '/v1/inbox',
    rpc: 'inbox.list',
    summary:
      'List every open approval, question and stopped budget across sessions, oldest first; for admins also changed agent files',
    permission: 'read',
    belongsTo: { items: 'items' },
    hasLargeReply: true,
    reply: Inbox,
    errors: [],
  }),
  queue: operation({
    method: 'get',
    path: '/v1/queue',
    rpc: 'queue.get',
    summary:
      'List the sessions that wait for a process, a turn, the provider or the limit of their agent, and the used capacity',
    permission: 'read',
    belongsTo: { items: 'waiting' },
    hasLargeReply: true,
    reply: Queue,
    errors: [],
  }),
  warmAgent: operation({
    method: 'post',
    path: '/v1/agents/{name}/warm',
    rpc: 'agent.warm',
    summary: 'Announce the use of an agent: keeps a process ready if there is capacity',
    permission: 'work',
    belongsTo: 'none',
    reply: WarmedAgent,
    errors: ['agent.not-found', 'config.invalid', 'config.missing-credential'],
  }),
  readAudit: operation({
    method: 'get',
    path: '/v1/audit',
    rpc: 'audit.list',
    summary: 'List the audit chain, oldest first',
    permission: 'manage',
    belongsTo: 'none',
    hasLargeReply: true,
    query: AuditQuery,
    reply: AuditPage,
    errors: [],
  }),
  verifyAudit: operation({
    method: 'get',
    path: '/v1/audit/verify',
    rpc: 'audit.verify',
    summary: 'Verify every link of the audit chain and every event it covers',
    permission: 'manage',
    belongsTo: 'none',
    reply: AuditVerdict,
    errors: [],
  }),
}
