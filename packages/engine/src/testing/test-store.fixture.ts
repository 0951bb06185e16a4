import type { EventDraft } from '@quarterdeck/protocol'
import { onTestFinished } from 'vitest'
import type { EventStore } from '../store/ports/event-store.ts'
import { createSqlStore, type SqlStoreOptions } from '../store/sql/create-sql-store.ts'
import { randomIds } from '../system/random-ids.ts'

/** An empty store in memory. It is closed when the test ends. */
export async function openTestStore(parts: Partial<Pick<SqlStoreOptions, 'clock' | 'ids'>> = {}): Promise<EventStore> {
  const store = await createSqlStore({ file: ':memory:', clock: { now: () => new Date() }, ids: randomIds, ...parts })
  onTestFinished(() => store.close())
  return store
}

/** The store with a step before each append, which may wait or throw. Every argument reaches the store. */
export const beforeAppend = (store: EventStore, step: (drafts: readonly EventDraft[]) => unknown): EventStore => ({
  ...store,
  async append(...written) {
    await step(written[2])
    return store.append(...written)
  },
})
