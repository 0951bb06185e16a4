// PostgreSQL is not supported yet, but its SQL is checked. Every migration and every query runs through Kysely's
// PostgreSQL compiler, with a driver that acknowledges everything.
import { BudgetId, draft } from '@quarterdeck/protocol'
import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  approvalDecided,
  approvalId,
  approvalRequested,
  createCountingIds,
  created,
  createHeldClock,
  newKey,
  sessionId,
  thought,
  usage,
} from '../ports/contract/store-harness.contract.ts'
import type { EventStore, Holder } from '../ports/event-store.ts'
import { createStoreOn } from './create-sql-store.ts'
import type { StoreTables } from './database/tables.ts'
import { migrations } from './migrations/migrate-store.ts'

const sqliteOnly =
  /\b(pragma|autoincrement|rowid|without rowid|insert or|glob|ifnull|json_\w+|strftime|datetime\(|julianday|sqlite_\w+|blob|collate nocase|begin immediate)\b|\?/i

/** The statements of the migrations, and those of the store itself. */
let migrating: readonly string[]
let working: readonly string[]

beforeAll(async () => {
  const recorded: CompiledQuery[] = []
  const db = new Kysely<StoreTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new RecordingDriver(recorded),
      createIntrospector: (introspected) => new PostgresIntrospector(introspected),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  for (const { up } of Object.values(migrations)) await up(db)
  migrating = distinctSql(recorded.splice(0))
  await useEverything(createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() }))
  working = distinctSql(recorded)
})

const distinctSql = (queries: readonly CompiledQuery[]): readonly string[] => [
  ...new Set(queries.map((query) => query.sql)),
]

describe('the SQL of the store, compiled for PostgreSQL', () => {
  it('reads and writes every table', () => {
    const schema = migrating.join('\n')
    const created = [...schema.matchAll(/create table (\w+)/g)]
      .map(([, table]) => table)
      .filter((table) => !schema.includes(`drop table ${table}`))
    expect(created).toHaveLength(22)
    const text = working.join('\n')
    for (const table of created) {
      // The migrations insert the only row of these two.
      const write = table === 'audit_head' || table === 'log_floor' ? 'update' : 'insert into'
      expect(text).toMatch(new RegExp(`${write} "${table}"`))
      expect(text).toMatch(new RegExp(`(from|join) "${table}"`))
    }
  })

  it('contains no SQLite-specific syntax', () => {
    expect(working.length).toBeGreaterThan(30)
    expect([...migrating, ...working].filter((statement) => sqliteOnly.test(statement))).toEqual([])
  })

  it('uses only column types of both databases', () => {
    const types = migrating
      .filter((statement) => statement.startsWith('create table'))
      .flatMap((statement) => [...statement.matchAll(/[(,]\s*(?!constraint )\w+ (double precision|[a-z]+)/g)])
      .map(([, type]) => type)
    expect(types.length).toBeGreaterThan(40)
    const known = new Set(['text', 'integer', 'bigint', 'bigserial', 'double precision'])
    expect(types.filter((type) => !known.has(type ?? ''))).toEqual([])
  })
})

async function useEverything(store: EventStore): Promise<void> {
  const one = sessionId(1)
  const holder: Holder = { id: 'h', role: 'server', pid: 1, startTime: 'x', address: null }
  const text = { text: 'x', messageId: 'm', kind: 'text' } as const
  await store.append(one, 0, [created({ tags: ['a', 'b'] }), thought('x'), usage('m'), approvalRequested(1)])
  await store.append(one, 4, [approvalDecided(1)])
  await store.append(sessionId(2), 0, [created({ seed: 'seed' })], { fencing: 1 })
  store.setWebhooks([{ id: 'w', events: ['AgentThought'] }])
  await store.append(sessionId(3), 0, [created(), thought('told')])
  await store.dueDeliveries('w', '2026-05-04T10:00:00.000Z', 10)
  await store.abandonOthers(['w'], 'x')
  await store.settleDelivery('d', { type: 'failed', error: 'x', nextAt: '2026-05-04T10:00:00.000Z' })
  await store.settleDelivery('d', { type: 'delivered' })
  await store.trustNewTool('a', 't', { description: 'd', inputSchema: 's' })
  await store.trustTool('a', 't', { description: 'd', inputSchema: 's' })
  await store.findTrustedTool('a', 't')
  await store.read(one, 0, 10)
  await store.readAll({ after: 0, limit: 10, kinds: ['session'] })
  await store.load(one)
  const { nextCursor } = await store.list({}, { limit: 1 })
  const cursor = nextCursor ?? Buffer.from('["2026-05-04T10:00:00.000Z","ses_000001"]').toString('base64url')
  await store.list({ status: 'idle', agentName: 'a', tag: 't' }, { limit: 1, cursor })
  await store.list({ agentName: 'a' }, { limit: 1, cursor })
  await store.list({ archived: 'all', owner: 'o', hibernated: true, text: '50%' }, { limit: 1, cursor })
  await store.listByStatus(['idle', 'running'])
  await store.countByStatus()
  await store.findAsk(approvalId(1))
  await store.listWaiting()
  await store.saveOpenText(one, { type: 'AgentStreamSnapshot', agent: null, data: text })
  await store.addToOpenTexts([{ sessionId: one, ...text }])
  await store.openTexts(one)
  await store.dropOpenText(one, 'm', 'text')
  await store.findSeed('seed')
  await store.ledger(one)
  await useMoney(store)
  await useProof(store)
  await store.saveReply('p', 'k', { bodyHash: 'h', status: 200, body: '' })
  await store.findReply('p', 'k')
  await store.register(holder, () => true)
  await store.lease(one, holder, () => true)
  await store.release(one, holder)
  await store.holderOf(one)
  await store.unregister(holder)
  await store.check()
}

async function useMoney(store: EventStore): Promise<void> {
  const id = BudgetId.parse('bud_000001')
  const created = { createdAt: '2026-05-04T10:00:00.000Z', createdBy: 'ada' }
  await store.usage({ groupBy: ['day', 'model', 'agent', 'user', 'session'], from: created.createdAt })
  const answer = { sessionId: sessionId(1), requestId: 'r', apiMessageId: 'm', requestedModel: 'x', servedModel: 'x' }
  await store.noteBegun({ ...answer, tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } })
  await store.begunAnswers()
  await store.dropBegun(answer)
  await store.usage({ groupBy: [], to: created.createdAt, filter: { user: 'u', agent: 'a', model: 'm' } })
  await store.spent({ scope: 'user', subject: 'ada', from: created.createdAt })
  await store.spentByEach({ scope: 'agent', from: null })
  await store.saveBudget({ id, scope: 'all', subject: '', period: 'day', unit: 'usd', limit: 5, ...created }, 'ada')
  await store.listBudgets()
  const warning = {
    budget: 'everybody per day',
    budgetId: id,
    period: '2026-05-04',
    unit: 'usd',
    spent: 4,
    limit: 5,
  } as const
  await store.append(sessionId(3), 2, [draft('BudgetWarning', warning)])
  await store.deleteBudget(id, 'ada')
}

async function useProof(store: EventStore): Promise<void> {
  await store.audit({ principal: 'ada', action: 'server.started', sessionId: null, subject: 'x', detail: {} })
  await store.readAudit(0, 10)
  await store.readAuditProofs(0, 10)
  await store.auditHead()
  await store.isDeletedAfter(sessionId(1), 1)
  await store.keyFacts()
  await store.sessionOutsideChain()
  await store.logEnd()
  await store.readStreams({ kind: 'session', streamId: sessionId(1), seq: 1, position: 1 }, 10)
  await store.readAudited(0, 10, 10)
  await store.adoptions()
  await store.sessionWithoutEvents()
  await store.findLoss([{ entries: 1, hash: 'h', sessions: { [sessionId(1)]: 3 } }])
  await store.createKey(newKey({ name: 'ci', hash: 'h' }), 'ada')
  await store.listKeys()
  await store.findKey('h')
  await store.findKeys(['h', 'i'])
  await store.revokeKey('ci', 'ada')
  await store.remove(sessionId(1), 'ada')
}

/** Rows without which a write would not continue. */
const found = {
  'select "entries", "hash" from "audit_head"': { entries: 0, hash: '' },
  'select "seq", "agent_name", "owner" from "sessions"': { seq: 1, agent_name: 'a', owner: 'o' },
  'select "id" from "budgets" where': { id: 'bud_000001' },
  'select * from "budgets" where': { id: 'bud_000001', amount: 5, created_at: '', created_by: '' },
}

class RecordingDriver extends DummyDriver {
  readonly #recorded: CompiledQuery[]

  constructor(recorded: CompiledQuery[]) {
    super()
    this.#recorded = recorded
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async (query) => {
        this.#recorded.push(query)
        const rows = Object.entries(found).flatMap(([start, row]) => (query.sql.startsWith(start) ? [row] : []))
        return { rows: rows as never[], numAffectedRows: 1n }
      },
      streamQuery: () => {
        throw new Error('the store does not stream')
      },
    }
  }
}
