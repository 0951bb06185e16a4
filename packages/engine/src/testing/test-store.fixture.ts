import { onTestFinished } from 'vitest'
import { randomIds } from '../ports/ids.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import { createSqlStore, type SqlStoreOptions } from '../store/sql/create-sql-store.ts'

/** An empty store in memory. It is closed when the test ends. */
export async function openTestStore(parts: Partial<Pick<SqlStoreOptions, 'clock' | 'ids'>> = {}): Promise<EventStore> {
  const store = await createSqlStore({ file: ':memory:', clock: { now: () => new Date() }, ids: randomIds, ...parts })
  onTestFinished(() => store.close())
  return store
}
