// Runs one statement in pieces, so that it can be stopped between two of them.
import { type RecordBatch, RecordBatchReader, type Schema } from 'apache-arrow'
import { EngineError } from '../domain/query-engine.ts'
import type { Booted } from './boot.ts'
import type { Stop } from './stop.ts'

export interface Ran {
  readonly schema: Schema
  readonly batches: readonly RecordBatch[]
  /** False if there were more than `maxRows`; then `batches` may hold a few more rows. */
  readonly isWhole: boolean
}

/** A query may block the worker without a pause, so that a stop has no effect. Then the worker is terminated. */
const patienceMs = 1500

export async function runStatement(
  { db, alive, kill }: Booted,
  { connection, sql }: { connection: number; sql: string },
  { maxRows, stop }: { maxRows: number; stop: Stop },
): Promise<Ran> {
  let patience: ReturnType<typeof setTimeout> | undefined
  let isRunning = true
  stop.onStop(() => {
    if (!isRunning) return
    patience = setTimeout(
      () => kill(new EngineError('dead', 'The query could not be stopped, so the database was restarted.')),
      patienceMs,
    )
  })
  const obey = async (): Promise<void> => {
    const reason = stop.reason()
    if (reason === null) return
    await alive(db.cancelPendingQuery(connection))
    throw reason
  }
  const start = async (): Promise<Uint8Array> => {
    await obey()
    let header = await alive(db.startPendingQuery(connection, sql, true))
    while (header === null) {
      await obey()
      header = await alive(db.pollPendingQuery(connection))
    }
    return header
  }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield await start()
    for (;;) {
      await obey()
      const piece = await alive(db.fetchQueryResults(connection))
      if (piece === null) continue
      if (piece.length === 0) return
      yield piece
    }
  }
  try {
    return await collect(pieces(), maxRows)
  } catch (error) {
    // After a stop, our reason replaces the worker's error.
    throw stop.reason() ?? error
  } finally {
    isRunning = false
    clearTimeout(patience)
  }
}

async function collect(pieces: AsyncIterable<Uint8Array>, maxRows: number): Promise<Ran> {
  const reader = await (await RecordBatchReader.from(pieces)).open()
  // Read now: a finished reader has no schema any more.
  const { schema } = reader
  const batches: RecordBatch[] = []
  let rows = 0
  for await (const batch of reader) {
    batches.push(batch)
    rows += batch.numRows
    if (rows > maxRows) return { schema, batches, isWhole: false }
  }
  return { schema, batches, isWhole: true }
}
