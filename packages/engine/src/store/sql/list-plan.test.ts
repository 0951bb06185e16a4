// A list must not slow down with the number of sessions: asked of SQLite's own plan, because a clock would lie.
import { CompiledQuery, Kysely, type LogEvent } from 'kysely'
import { expect, it } from 'vitest'
import { createCountingIds, createHeldClock } from '../contract/world.contract.ts'
import type { SessionFilter } from '../event-store.ts'
import { createStoreOn } from './create-sql-store.ts'
import { openLibsql } from './libsql-database.ts'
import { LibsqlDialect } from './libsql-dialect.ts'
import { migrateStore } from './migrate-store.ts'
import type { StoreTables } from './tables.ts'

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

it.each(filters)('walks an index in the order of the list and sorts nothing: %j', async (filter) => {
  let last: LogEvent | undefined
  const db = new Kysely<StoreTables>({
    dialect: new LibsqlDialect(openLibsql(':memory:')),
    log: (event) => {
      last = event
    },
  })
  await migrateStore(db, ':memory:')
  const store = createStoreOn(db, { clock: createHeldClock(), ids: createCountingIds() })
  for (const page of [{ limit: 50 }, { limit: 50, cursor }]) {
    await store.list(filter, page)
    const { sql: listSql = '', parameters = [] } = last?.query ?? {}
    const { rows } = await db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${listSql}`, [...parameters]),
    )
    const plan = rows.map((row) => row.detail).join('\n')
    expect(plan).toContain('USING')
    expect(plan).not.toContain('TEMP B-TREE')
    if (page.cursor !== undefined) expect(plan).toContain('(created_at,session_id)<(?,?)')
  }
  await db.destroy()
})
