// No query may slow down with the number of sessions, events or entries. Checked with SQLite's query plans, because
// timings are unreliable.
import { CompiledQuery, Kysely, type LogEvent } from 'kysely'
import { expect, it } from 'vitest'
import { approvalId, createCountingIds, createHeldClock, sessionId } from '../ports/contract/store-harness.contract.ts'
import type { EventStore, SessionFilter } from '../ports/event-store.ts'
import { createStoreOn } from './create-sql-store.ts'
import { openLibsql } from './database/libsql-database.ts'
import { LibsqlDialect } from './database/libsql-dialect.ts'
import type { StoreTables } from './database/tables.ts'
import { migrateStore } from './migrations/migrate-store.ts'

const cursor = Buffer.from('["2026-05-04T10:00:00.000Z","ses_000001"]').toString('base64url')
const filters: readonly SessionFilter[] = [
  {},
  { status: 'idle' },
  { agentName: 'triage' },
  { tag: 'red' },
  { status: 'idle', agentName: 'triage', tag: 'red' },
  { owner: 'ada' },
  { hibernated: true },
  { archived: true },
  { archived: 'all', status: 'idle' },
  { text: 'login' },
]

interface Planned {
  readonly store: EventStore
  /** SQLite's plan of the last query. */
  readonly plan: () => Promise<string>
}

async function withPlans(test: (planned: Planned) => Promise<void>): Promise<void> {
  let last: LogEvent | undefined
  const db = new Kysely<StoreTables>({
    dialect: new LibsqlDialect(openLibsql(':memory:')),
    log: (event) => {
      last = event
    },
  })
  await migrateStore(db, ':memory:')
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  await test({
    store,
    async plan() {
      const { sql = '', parameters = [] } = last?.query ?? {}
      const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
      const { rows } = await db.executeQuery<{ detail: string }>(explained)
      return rows.map((row) => row.detail).join('\n')
    },
  })
  await db.destroy()
}

it.each(filters)('walks an index in list order and sorts nothing: %j', (filter) =>
  withPlans(async ({ store, plan }) => {
    for (const page of [{ limit: 50 }, { limit: 50, cursor }]) {
      await store.list(filter, page)
      const found = await plan()
      expect(found).toContain('USING')
      expect(found).not.toContain('TEMP B-TREE')
      if (page.cursor !== undefined) expect(found).toContain('(created_at,session_id)<(?,?)')
    }
  }),
)

const at = '2026-05-04T10:00:00.000Z'
const lookups: Readonly<Record<string, (store: EventStore) => Promise<unknown>>> = {
  'a session': (store) => store.load(sessionId(1)),
  'the sessions in some states': (store) => store.listByStatus(['running', 'queued']),
  'the session of an ask': (store) => store.findAsk(approvalId(1)),
  'the session of a seed': (store) => store.findSeed('seed'),
  'a page of a log': (store) => store.read(sessionId(1), 5000, 100),
  'a page of all logs': (store) => store.readAll({ after: 0, limit: 100 }),
  'a page of one kind': (store) => store.readAll({ after: 0, limit: 100, kinds: ['session'] }),
  'what a user spent this month': (store) => store.spent({ scope: 'user', subject: 'ada', from: at }),
  'what each agent spent': (store) => store.spentByEach({ scope: 'agent', from: at }),
  'the usage of a day': (store) => store.usage({ groupBy: [], from: at, to: at }),
  'deliveries that are due': (store) => store.dueDeliveries('pager', at, 10),
  'a page of the audit chain': (store) => store.readAudit(5000, 100),
  'a page of the audit chain with its events': (store) => store.readAuditProofs(5000, 100),
  'a page of the places of events': (store) =>
    store.readStreams({ kind: 'session', streamId: sessionId(1), seq: 5000, position: 5000 }, 100),
  'a page of the audited events': (store) => store.readAudited(5000, 9000, 100),
  'the deletion of a session': (store) => store.isDeletedAfter(sessionId(1), 5),
  'a key': (store) => store.findKey('hash'),
}

it.each(Object.keys(lookups))('finds its rows by an index: %s', (name) =>
  withPlans(async ({ store, plan }) => {
    await lookups[name]?.(store)
    const found = await plan()
    expect(found).toContain('SEARCH')
    expect(found).not.toMatch(/SCAN|TEMP B-TREE/)
  }),
)
