// A separate connection for changes of the database.
import { fullCatalog } from '../sql/reserved-names.ts'
import { rowsOf } from './arrow/ipc.ts'
import type { Booted } from './boot.ts'
import { runStatement } from './run-statement.ts'
import { createStop, type Stop } from './stop.ts'

export interface Session {
  readonly connection: number
  run(sql: string): Promise<void>
  rows(sql: string): Promise<ReturnType<typeof rowsOf>>
  readonly booted: Booted
}

/** A connection that creates tables in the full catalog. Its temporary objects are dropped with it. */
export async function inSession<Result>(
  booted: Booted,
  signal: AbortSignal | undefined,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const stop: Stop = createStop({ signal })
  const connection = await booted.alive(booted.db.connectInternal())
  const rows = async (sql: string) => {
    const { batches } = await runStatement(booted, { connection, sql }, { maxRows: 1_000_000, stop })
    return rowsOf(batches, Number.POSITIVE_INFINITY)
  }
  const run = async (sql: string): Promise<void> => void (await rows(sql))
  try {
    await run(`USE ${fullCatalog}`)
    return await work({ connection, run, rows, booted })
  } finally {
    stop.release()
    await booted.alive(booted.db.disconnect(connection)).catch(() => undefined) // the worker is gone
  }
}
