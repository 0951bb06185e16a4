import { positionBeyondLog } from '../../ports/store-errors.ts'
import type { LogStore } from '../../ports/streams.ts'
import { loggedOfRow } from '../database/event-row.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'

/** Reads the events of all streams by their positions. */
export function createSqlLog({ db }: Pick<SqlDependencies, 'db'>): Pick<LogStore, 'readAll' | 'lastPosition'> {
  async function lastPosition(): Promise<number> {
    // One query, so that a deletion cannot come between the two values.
    const found = await db
      .selectFrom('log_floor')
      .select([
        'position as floor',
        ({ selectFrom }) =>
          selectFrom('stream_events')
            .select(({ fn }) => fn.max('position').as('last'))
            .as('last'),
      ])
      .where('id', '=', 1)
      .executeTakeFirst()
    return Math.max(Number(found?.floor ?? 0), Number(found?.last ?? 0))
  }

  return {
    lastPosition,
    async readAll({ after, limit, kinds }) {
      // Read before the events: all events up to this position are then visible.
      const last = await lastPosition()
      if (after > last) throw positionBeyondLog(after, last)
      const rows = await db
        .selectFrom('stream_events')
        .selectAll()
        .where('position', '>', after)
        .where('position', '<=', last)
        .$if(kinds !== undefined, (query) => query.where('kind', 'in', kinds ?? []))
        .orderBy('position')
        .limit(limit)
        .execute()
      const events = rows.map(loggedOfRow)
      return { events, next: events.length < limit ? last : (events.at(-1)?.position ?? after) }
    },
  }
}
