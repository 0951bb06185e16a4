// The database of the page. Each read has its own connection and may run in parallel; changes to tables are serialized.
import { createSerialQueue } from '@quarterdeck/protocol'
import { EngineError, type EngineProgress, type QueryEngine } from '../domain/query-engine.ts'
import { type Booted, boot } from './boot.ts'
import type { BuiltInNames } from './guard/guard.ts'
import { guardedPlan, guardedRead, guardedText, type Readable } from './guarded-read.ts'
import { inSession } from './session.ts'
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
    const { booted, builtInNames, visibleCatalogs } = now
    const catalogWithout = async (hidden: readonly string[]): Promise<string> =>
      visibleCatalogs.known(hidden) ??
      change((then) => {
        if (then !== now) throw new EngineError('dead', restartedMessage)
        return visibleCatalogs.open(hidden)
      })
    return { booted, builtInNames, catalogWithout }
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
  const visibleCatalogs = createVisibleCatalogs(booted)
  await visibleCatalogs.open([])
  const tables = createTables(booted, visibleCatalogs)
  const neverSent = () => tables.all().flatMap((table) => table.neverSent)
  const steps = createStepViews({ booted, visibleCatalogs, neverSent })
  let builtIn: Promise<BuiltInNames> | null = null
  /** Read with the first query instead of at the start, which every visit of the page waits for. */
  const builtInNames = () => {
    builtIn ??= readBuiltInNames(booted)
    return builtIn
  }
  return { booted, builtInNames, visibleCatalogs, tables, steps }
}

const tableFunctions = `SELECT function_name, bool_or(function_type IN ('scalar', 'aggregate', 'macro')) FROM duckdb_functions()
  GROUP BY function_name HAVING bool_or(function_type IN ('table', 'table_macro', 'pragma'))`
const catalogViews = `SELECT view_name FROM duckdb_views() WHERE internal AND schema_name <> 'information_schema'`

/** Reads the names from DuckDB, so that functions of a newer version are guarded as well. */
function readBuiltInNames(booted: Booted): Promise<BuiltInNames> {
  return inSession(booted, undefined, async ({ rows }) => {
    const functions = (await rows(tableFunctions)).map(([name, isValue]) => ({ name: lowerCase(name), isValue }))
    return {
      catalogViews: new Set((await rows(catalogViews)).map(([name]) => lowerCase(name))),
      tableFunctions: new Set(functions.map(({ name }) => name)),
      alsoValues: new Set(functions.filter(({ isValue }) => isValue === true).map(({ name }) => name)),
    }
  })
}

const lowerCase = (name: unknown): string => String(name).toLowerCase()
