// Streams of kinds other than sessions: their state is the fold of their events, without rows of its own.
import { parseInput } from '@quarterdeck/protocol'
import type { Kysely } from 'kysely'
import { streamConflict } from '../../ports/store-errors.ts'
import { type LogStore, type StreamDraft, type StreamEvent, type StreamKind, sessionKind } from '../../ports/streams.ts'
import { type EventRow, rowOfStreamEvent, streamEventOfRow } from '../database/event-row.ts'
import type { StoreTables } from '../database/tables.ts'
import type { SqlDependencies } from '../sql-dependencies.ts'
import { writeEvents } from './write-events.ts'

const pageSize = 1000
const rememberedFolds = 1000

interface Folded<State> {
  readonly seq: number
  readonly state: State
}

type StreamDeps = Pick<SqlDependencies, 'db' | 'commit' | 'hot' | 'clock' | 'ids' | 'onAppended'>

export function createSqlStreams({ db, commit, hot, clock, ids, onAppended }: StreamDeps): LogStore['streams'] {
  return <State, Draft extends StreamDraft>(kind: StreamKind<State, Draft>) => {
    if (kind.name === sessionKind) throw new Error('the store itself appends to sessions')
    const keyOf = (id: string) => ({ kind: kind.name, id })
    // Only committed folds: such a stream only grows, so each stays correct for its `seq`.
    const remembered = new Map<string, Folded<State>>()

    // Only `append` writes these rows, from drafts that the schema of the kind has checked.
    const eventOf = (row: EventRow) => streamEventOfRow(row) as StreamEvent<Draft>

    async function read(on: Kysely<StoreTables>, id: string, after: { readonly seq: number; readonly limit: number }) {
      const { rows } = await on.executeQuery(hot.readEvents(keyOf(id), after.seq, after.limit))
      return rows.map(eventOf)
    }

    const foldAll = (before: Folded<State> | null, events: readonly StreamEvent<Draft>[]): Folded<State> | null =>
      events.reduce<Folded<State> | null>(
        (folded, event) => ({ seq: event.seq, state: kind.fold(folded === null ? null : folded.state, event) }),
        before,
      )

    /** Reads only the events after the remembered fold, so it sees those of other processes as well. */
    async function load(on: Kysely<StoreTables>, id: string): Promise<Folded<State> | null> {
      for (let folded = remembered.get(id) ?? null; ; ) {
        const page = await read(on, id, { seq: folded?.seq ?? 0, limit: pageSize })
        folded = foldAll(folded, page)
        if (page.length < pageSize) return folded
      }
    }

    function remember(id: string, folded: Folded<State>): void {
      remembered.delete(id)
      remembered.set(id, folded)
      const [oldest] = remembered.keys()
      if (oldest !== undefined && remembered.size > rememberedFolds) remembered.delete(oldest)
    }

    return {
      read: (id, seq, limit) => read(db, id, { seq, limit }),
      load: (id) => load(db, id),
      async append(id, expectedSeq, drafts) {
        const checked = drafts.map((draft) => parseInput(kind.draft, draft))
        const { events, folded } = await commit(async (trx) => {
          const before = await load(trx, id)
          const seq = before?.seq ?? 0
          if (seq !== expectedSeq) throw streamConflict(keyOf(id), expectedSeq, seq)
          const at = clock.now().toISOString()
          const rows = checked.map(({ type, data }, index) =>
            rowOfStreamEvent(keyOf(id), { type, data, seq: seq + index + 1, id: ids.next('evt'), at, v: 1 }),
          )
          const stored = rows.map(eventOf)
          // Throws for an event that cannot come next.
          const after = foldAll(before, stored)
          await writeEvents(trx, hot, rows)
          return { events: stored, folded: after }
        }, id)
        if (folded !== null) remember(id, folded)
        onAppended()
        return events
      },
    }
  }
}
