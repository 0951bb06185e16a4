// The engine of this page: loaded when somebody first needs it, and begun anew when it dies. Whoever uses it sees one
// engine that is always there.
import { createStore, type Store } from '../../stores/primitives/store.ts'
import type { EngineState } from '../domain/data-services.ts'
import { EngineError, type EngineProgress, type QueryEngine } from '../domain/query-engine.ts'
import { sqlNames } from '../sql/sql-names.ts'

export interface EngineService {
  readonly state: Store<EngineState>
  /** Waits until the real one is ready. */
  readonly engine: QueryEngine
  /** The same for whoever only wants this table: the others may still be on their way. */
  engineFor(table: string): QueryEngine
  /** Rejects with `EngineError`; the next try loads it again. */
  start(): Promise<void>
  /** It began anew: the steps in it are gone. Returns how to stop listening. */
  onRestart(listener: () => void): () => void
  close(): void
}

/** Tables on their way into an engine. One that came after it ends it. */
export interface TableFill {
  readonly whole: Promise<void>
  /** These come before the others. Resolves when they are there; what is no table is waited for with the whole. */
  need(names: readonly string[]): Promise<void>
}

export interface BootOptions {
  readonly onProgress: (progress: EngineProgress) => void
  /** It died without being told to. */
  readonly onDead: () => void
}

export interface EngineServiceOptions {
  readonly boot: (options: BootOptions) => Promise<QueryEngine>
  /** Brings the tables into an engine that has none. */
  readonly fill: (engine: QueryEngine) => TableFill
}

const restartMessages: Readonly<Partial<Record<EngineError['problem'], string>>> = {
  memory:
    'The database of this page ran out of memory. It was started again, with its tables. Ask for less at once: fewer columns, a filter, an aggregate.',
  dead: 'The database of this page stopped. It was started again, with its tables.',
}

/** One life of the engine: a new one begins with a new worker. */
interface EngineInstance {
  readonly engine: QueryEngine
  readonly filling: TableFill
}

export function createEngineService({ boot, fill }: EngineServiceOptions): EngineService {
  const state = createStore<EngineState>({ status: 'off', progress: null, failure: null })
  const listeners = new Set<() => void>()
  let instance: Promise<EngineInstance> | null = null

  /** The newest life wins: what an older one still has to say is not shown. */
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
    mine.catch(() => undefined) // whoever needs it hears of it
    instance = mine
    return mine
  }

  function first(): Promise<QueryEngine> {
    const booted = boot({
      onProgress: (progress) => state.update({ progress }),
      onDead() {
        const died = instance
        // Whoever got no answer may have been faster.
        void booted.then((engine) => (instance === died ? restartEngine(engine) : undefined))
      },
    })
    return booted
  }

  const currentInstance = (): Promise<EngineInstance> => instance ?? startInstance(first)

  function restartEngine(engine: QueryEngine): Promise<EngineInstance> {
    return startInstance(async () => {
      await engine.restart()
      for (const listener of listeners) listener()
      return engine
    })
  }

  /** With these tables in it, or with all. */
  async function filled(
    needs: readonly string[] | null,
  ): Promise<{ engine: QueryEngine; of: Promise<EngineInstance> }> {
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
      const restarted = error instanceof EngineError ? restartMessages[error.problem] : undefined
      if (restarted === undefined || !(error instanceof EngineError)) throw error
      // Several may notice at once that it is dead, and it may be back already.
      await (instance === of ? restartEngine(engine) : currentInstance())
      throw new EngineError(error.problem, restarted)
    }
  }

  const engineFor = (tables: readonly string[] | null): QueryEngine => ({
    read: (sql, options) => use((engine) => engine.read(sql, options), sqlNames(sql)),
    plan: (sql, options) => use((engine) => engine.plan(sql, options), sqlNames(sql)),
    addCsv: (csv) => use((engine) => engine.addCsv(csv)),
    addArrow: (...given) => use((engine) => engine.addArrow(...given)),
    keepStep: (n, content) => use((engine) => engine.keepStep(n, content)),
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
    start: async () => void (await filled(null)),
    onRestart(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    engine: engineFor(null),
    engineFor: (table) => engineFor([table]),
    close() {
      void instance?.then(({ engine }) => engine.close()).catch(() => undefined) // it never was there
      instance = null
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
