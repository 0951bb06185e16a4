// The database of the page. Each read has its own connection and may run in parallel; changes to tables are serialized.
import type { AsyncDuckDBConnection } from '@duckdb/duckdb-wasm'
import { createSerialQueue } from '@quarterdeck/protocol'
import { EngineError, type EngineProgress, type QueryEngine } from '../domain/query-engine.ts'
import { type Booted, boot } from './boot.ts'
import type { BuiltInNames } from './guard/guard.ts'
import { guardedPlan, guardedRead, guardedText, type Readable } from './guarded-read.ts'
import { createStepViews, type StepViews } from './step-views.ts'
import { createTables, type Tables } from './tables.ts'
import { toEngineError } from './to-engine-error.ts'
import { createVisibleCatalogs, type VisibleCatalogs } from './visible-catalogs.ts'

export interface EngineDeps {
  readonly onProgress?: (progress: EngineProgress) => void
  /** Called when the database dies unexpectedly. It does not answer until a restart. */
  readonly onDead?: () => void
}

interface Running extends Omit<Readable, 'catalogWithout'> {
  readonly visibleCatalogs: VisibleCatalogs
  readonly tables: Tables
  readonly steps: StepViews
}

const restartedMessage = 'The database of this page was restarted.'

export async function createQueryEngine({
  onProgress = () => {},
  onDead = () => {},
}: EngineDeps): Promise<QueryEngine> {
  /** Ended on purpose: `onDead` is not called. */
  const ended = new WeakSet<Booted>()
  let running = await begin()
  let runInOrder = createSerialQueue()

  async function begin(): Promise<Running> {
    const booted = await boot(onProgress)
    const begun = await start(booted)
    void booted.died.then(() => (ended.has(booted) ? undefined : onDead()))
    return begun
  }

  const end = (why: string): void => {
    ended.add(running.booted)
    running.booted.kill(new EngineError('dead', why))
  }

  /** Runs changes one after the other, even after a failed one. */
  const change = <Result>(work: (running: Running) => Promise<Result>): Promise<Result> =>
    runInOrder(() => work(running)).catch((error: unknown) => Promise.reject(toEngineError(error)))

  /** A catalog for a new scope is created in the queue of changes. */
  const readable = (): Readable => {
    const now = running
    const { booted, builtIn, visibleCatalogs } = now
    const catalogWithout = async (hidden: readonly string[]): Promise<string> =>
      visibleCatalogs.known(hidden) ??
      change((then) => {
        if (then !== now) throw new EngineError('dead', restartedMessage)
        return visibleCatalogs.open(hidden)
      })
    return { booted, builtIn, catalogWithout }
  }

  const restartNow = async (): Promise<void> => {
    end(restartedMessage)
    running = await begin()
    runInOrder = createSerialQueue()
  }
  /** Several callers may notice at once that it is dead. */
  let restarting: Promise<void> | null = null

  return {
    read: (sql, options) => guardedRead(readable(), sql, options),
    plan: (sql, options) => guardedPlan(readable(), sql, options),
    addCsv: (csv) => change(({ tables }) => tables.addCsv(csv)),
    addArrow: (name, ipc, columns) => change(({ tables }) => tables.addArrow(name, ipc, columns)),
    storeStep: (n, content) =>
      change(async (now) => {
        if ('ipc' in content) return now.steps.store(n, content)
        const sql = await guardedText(readable(), content.sql, { author: 'model', timeoutMs: 30_000 })
        return now.steps.store(n, { sql })
      }),
    dropSteps: () => change(({ steps }) => steps.dropAll()),
    setNeverSent: (table, columns) =>
      change(async ({ tables, steps }) => {
        await tables.setNeverSent(table, columns)
        await steps.showAgain()
      }),
    rename: (from, to) => change(({ tables }) => tables.rename(from, to)),
    drop: (table) => change(({ tables }) => tables.drop(table)),
    tables: async () => running.tables.all(),
    restart() {
      restarting ??= restartNow().finally(() => {
        restarting = null
      })
      return restarting
    },
    close: () => end('The database of this page was closed.'),
  }
}

async function start(booted: Booted): Promise<Running> {
  const connection = await booted.alive(booted.db.connect())
  const builtIn = await booted.alive(readBuiltInNames(connection))
  await booted.alive(connection.close())
  const visibleCatalogs = createVisibleCatalogs(booted)
  await visibleCatalogs.open([])
  const tables = createTables(booted, visibleCatalogs)
  const neverSent = () => tables.all().flatMap((table) => table.neverSent)
  const steps = createStepViews({ booted, visibleCatalogs, neverSent })
  return { booted, builtIn, visibleCatalogs, tables, steps }
}

/** Reads the names from DuckDB, so that functions of a newer version are guarded as well. */
async function readBuiltInNames(connection: AsyncDuckDBConnection): Promise<BuiltInNames> {
  const names = async (sql: string): Promise<ReadonlySet<string>> => {
    const table = await connection.query(sql)
    return new Set(table.toArray().map((row) => String(row.name).toLowerCase()))
  }
  const tables = `SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro', 'pragma')`
  const values = `SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')`
  return {
    catalogViews: await names(
      `SELECT view_name AS name FROM duckdb_views() WHERE internal AND schema_name <> 'information_schema'`,
    ),
    tableFunctions: await names(tables),
    alsoValues: await names(`${tables} INTERSECT ${values}`),
  }
}
