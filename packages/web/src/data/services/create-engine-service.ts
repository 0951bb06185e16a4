// The engine of this page: loaded on first use and restarted when it dies. Callers see one engine that is always
// available.
import { createEmitter, messageOf } from '@quarterdeck/protocol'
import { createStore } from '../../stores/primitives/store.ts'
import type { EngineState } from '../domain/data-services.ts'
import { EngineError, type QueryEngine } from '../domain/query-engine.ts'
import type { EngineDeps } from '../engine/create-query-engine.ts'
import { sqlNames } from '../sql/sql-names.ts'

/** Tables that are loading into an engine. A newer load ends it. */
export interface TableFill {
  readonly whole: Promise<void>
  /** Loads these first. Resolves when they are loaded; unknown names wait for all tables. */
  need(names: readonly string[]): Promise<void>
}

export interface EngineServiceOptions {
  readonly boot: (options: Required<EngineDeps>) => Promise<QueryEngine>
  /** Loads the tables into an empty engine. */
  readonly fill: (engine: QueryEngine) => TableFill
}

const restartMessages: Readonly<Partial<Record<EngineError['problem'], string>>> = {
  memory:
    'The database of this page ran out of memory and was restarted with its tables. Query less at once: fewer columns, a filter, an aggregate.',
  dead: 'The database of this page crashed and was restarted with its tables.',
}

/** One start of the engine: each has its own worker. */
interface EngineInstance {
  readonly engine: QueryEngine
  readonly filling: TableFill
}

export function createEngineService({ boot, fill }: EngineServiceOptions) {
  const state = createStore<EngineState>({ status: 'off', progress: null, failure: null })
  const restarts = createEmitter()
  let instance: Promise<EngineInstance> | null = null

  /** The newest start wins: older ones are ignored. */
  function startInstance(begin: () => Promise<QueryEngine>): Promise<EngineInstance> {
    state.set({ status: 'loading', progress: null, failure: null })
    const isNewest = () => instance === mine
    const fail = (error: unknown): EngineError => {
      const failure = error instanceof EngineError ? error : new EngineError('dead', messageOf(error))
      if (isNewest()) {
        instance = null
        state.set({ status: 'failed', progress: null, failure })
      }
      return failure
    }
    const mine: Promise<EngineInstance> = begin().then(
      (engine) => {
        const filling = fill(engine)
        filling.whole.then(() => {
          if (isNewest()) state.set({ status: 'ready', progress: null, failure: null })
        }, fail)
        return { engine, filling }
      },
      (error: unknown) => Promise.reject(fail(error)),
    )
    mine.catch(() => undefined) // callers get the error
    instance = mine
    return mine
  }

  function first(): Promise<QueryEngine> {
    const booted = boot({
      onProgress: (progress) => state.update({ progress }),
      onDead() {
        const died = instance
        // A caller that got no answer may have restarted it already.
        void booted.then((engine) => (instance === died ? restartEngine(engine) : undefined))
      },
    })
    return booted
  }

  const currentInstance = (): Promise<EngineInstance> => instance ?? startInstance(first)

  function restartEngine(engine: QueryEngine): Promise<EngineInstance> {
    return startInstance(async () => {
      await engine.restart()
      restarts.emit()
      return engine
    })
  }

  /** Waits for these tables, or for all. */
  async function filled(needs: readonly string[] | null) {
    for (;;) {
      const of = currentInstance()
      const { engine, filling } = await of
      await (needs === null ? filling.whole : filling.need(needs))
      if (instance === of) return { engine, of }
    }
  }

  async function use<Result>(
    work: (engine: QueryEngine) => Promise<Result>,
    needs: readonly string[] | null = null,
  ): Promise<Result> {
    const { engine, of } = await filled(needs)
    try {
      return await work(engine)
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      const restarted = restartMessages[error.problem]
      if (restarted === undefined) throw error
      // Several callers may notice at once that it is dead, and it may be restarted already.
      await (instance === of ? restartEngine(engine) : currentInstance())
      throw new EngineError(error.problem, restarted)
    }
  }

  const engineFor = (tables: readonly string[] | null): QueryEngine => ({
    read: (sql, options) => use((engine) => engine.read(sql, options), sqlNames(sql)),
    plan: (sql, options) => use((engine) => engine.plan(sql, options), sqlNames(sql)),
    addCsv: (csv) => use((engine) => engine.addCsv(csv)),
    addArrow: (...given) => use((engine) => engine.addArrow(...given)),
    storeStep: (n, content) => use((engine) => engine.storeStep(n, content)),
    dropSteps: () => use((engine) => engine.dropSteps()),
    setNeverSent: (table, columns) => use((engine) => engine.setNeverSent(table, columns)),
    rename: (from, to) => use((engine) => engine.rename(from, to)),
    drop: (table) => use((engine) => engine.drop(table)),
    tables: () => use((engine) => engine.tables(), tables),
    restart: async () => (await restartEngine((await currentInstance()).engine)).filling.whole,
    close: () => undefined,
  })

  return {
    state,
    /** Rejects with `EngineError`; the next call tries again. */
    start: async () => void (await filled(null)),
    /** Called after a restart, which drops all steps. Returns a function that unsubscribes. */
    onRestart: restarts.listen,
    /** Waits until the real engine is ready. */
    engine: engineFor(null),
    /** The same for callers that need only this table: others may still be loading. */
    engineFor: (table: string) => engineFor([table]),
    close() {
      void instance?.then(({ engine }) => engine.close()).catch(() => undefined) // it never started
      instance = null
    },
  }
}
