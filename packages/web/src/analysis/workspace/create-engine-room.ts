// The engine of this page: loaded when somebody first needs it, and begun anew when it dies. Whoever uses it sees one
// engine that is always there.
import { createCell, type Store } from '../../state/cell.ts'
import { type Engine, EngineError, type EngineProgress } from '../engine.ts'
import { sqlNames } from '../steps/sql-names.ts'
import type { EngineState } from '../workspace.ts'

export interface EngineRoom {
  readonly state: Store<EngineState>
  /** Waits until the real one is ready. */
  readonly engine: Engine
  /** The same for whoever only wants this table: the others may still be on their way. */
  engineFor(table: string): Engine
  /** Rejects with `EngineError`; the next try loads it again. */
  start(): Promise<void>
  /** It began anew: the steps in it are gone. Returns how to stop listening. */
  onRestart(listener: () => void): () => void
  close(): void
}

/** Tables on their way into an engine. One that came after it ends it. */
export interface Filling {
  readonly whole: Promise<void>
  /** These come before the others. Resolves when they are there; what is no table is waited for with the whole. */
  need(names: readonly string[]): Promise<void>
}

export interface BootOptions {
  readonly onProgress: (progress: EngineProgress) => void
  /** It died without being told to. */
  readonly onDead: () => void
}

export interface EngineRoomOptions {
  readonly boot: (options: BootOptions) => Promise<Engine>
  /** Brings the tables into an engine that has none. */
  readonly fill: (engine: Engine) => Filling
}

const anew: Readonly<Partial<Record<EngineError['problem'], string>>> = {
  memory:
    'The database of this page ran out of memory. It was started again, with its tables. Ask for less at once: fewer columns, a filter, an aggregate.',
  dead: 'The database of this page stopped. It was started again, with its tables.',
}

/** One life of the engine: a new one begins with a new worker. */
interface Life {
  readonly engine: Engine
  readonly filling: Filling
}

export function createEngineRoom({ boot, fill }: EngineRoomOptions): EngineRoom {
  const state = createCell<EngineState>({ status: 'off', progress: null, failure: null })
  const listeners = new Set<() => void>()
  let life: Promise<Life> | null = null

  /** The newest life wins: what an older one still has to say is not shown. */
  function live(begin: () => Promise<Engine>): Promise<Life> {
    state.set({ status: 'loading', progress: null, failure: null })
    const isNewest = () => life === mine
    const fail = (error: unknown): EngineError => {
      const failure = error instanceof EngineError ? error : new EngineError('dead', wordsOf(error))
      if (isNewest()) {
        life = null
        state.set({ status: 'failed', progress: null, failure })
      }
      return failure
    }
    const mine: Promise<Life> = begin().then(
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
    life = mine
    return mine
  }

  function first(): Promise<Engine> {
    const booted = boot({
      onProgress: (progress) => state.update({ progress }),
      onDead() {
        const died = life
        // Whoever got no answer may have been faster.
        void booted.then((engine) => (life === died ? beginAnew(engine) : undefined))
      },
    })
    return booted
  }

  const alive = (): Promise<Life> => life ?? live(first)

  function beginAnew(engine: Engine): Promise<Life> {
    return live(async () => {
      await engine.restart()
      for (const listener of listeners) listener()
      return engine
    })
  }

  /** With these tables in it, or with all. */
  async function filled(needs: readonly string[] | null): Promise<{ engine: Engine; of: Promise<Life> }> {
    for (;;) {
      const of = alive()
      const { engine, filling } = await of
      await (needs === null ? filling.whole : filling.need(needs))
      if (life === of) return { engine, of }
    }
  }

  async function use<Result>(
    work: (engine: Engine) => Promise<Result>,
    needs: readonly string[] | null = null,
  ): Promise<Result> {
    const { engine, of } = await filled(needs)
    try {
      return await work(engine)
    } catch (error) {
      const words = error instanceof EngineError ? anew[error.problem] : undefined
      if (words === undefined || !(error instanceof EngineError)) throw error
      // Several may notice at once that it is dead, and it may be back already.
      await (life === of ? beginAnew(engine) : alive())
      throw new EngineError(error.problem, words)
    }
  }

  const engineFor = (tables: readonly string[] | null): Engine => ({
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
    restart: async () => (await beginAnew((await alive()).engine)).filling.whole,
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
      void life?.then(({ engine }) => engine.close()).catch(() => undefined) // it never was there
      life = null
    },
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
