// The engine of this page: loaded when somebody first needs it, and begun anew when it dies. Whoever uses it sees one
// engine that is always there.
import { createCell, type Store } from '../../state/cell.ts'
import { type Engine, EngineError, type EngineProgress } from '../engine.ts'
import type { EngineState } from '../workspace.ts'

export interface EngineRoom {
  readonly state: Store<EngineState>
  /** Waits until the real one is ready. */
  readonly engine: Engine
  /** Rejects with `EngineError`; the next try loads it again. */
  start(): Promise<void>
  /** It began anew: the steps in it are gone. Returns how to stop listening. */
  onRestart(listener: () => void): () => void
  close(): void
}

export interface EngineRoomOptions {
  readonly boot: (onProgress: (progress: EngineProgress) => void) => Promise<Engine>
  /** Brings the tables into an engine that has none. */
  readonly fill: (engine: Engine) => Promise<void>
}

const anew: Readonly<Partial<Record<EngineError['problem'], string>>> = {
  memory:
    'The database of this page ran out of memory. It was started again and its tables are back. Ask for less at once: fewer columns, a filter, an aggregate.',
  dead: 'The database of this page stopped. It was started again and its tables are back.',
}

export function createEngineRoom({ boot, fill }: EngineRoomOptions): EngineRoom {
  const state = createCell<EngineState>({ status: 'off', progress: null, failure: null })
  const listeners = new Set<() => void>()
  let starting: Promise<Engine> | null = null
  let restarting: Promise<void> | null = null

  async function begin(): Promise<Engine> {
    state.set({ status: 'loading', progress: null, failure: null })
    try {
      const engine = await boot((progress) => state.update({ progress }))
      await fill(engine)
      state.set({ status: 'ready', progress: null, failure: null })
      return engine
    } catch (error) {
      starting = null
      const failure = error instanceof EngineError ? error : new EngineError('dead', wordsOf(error))
      state.set({ status: 'failed', progress: null, failure })
      throw failure
    }
  }

  function real(): Promise<Engine> {
    starting ??= begin()
    return starting
  }

  async function beginAnew(engine: Engine): Promise<void> {
    state.set({ status: 'loading', progress: null, failure: null })
    try {
      await engine.restart()
      for (const listener of listeners) listener()
      await fill(engine)
      state.set({ status: 'ready', progress: null, failure: null })
    } catch (error) {
      starting = null
      state.set({ status: 'failed', progress: null, failure: new EngineError('dead', wordsOf(error)) })
    } finally {
      restarting = null
    }
  }

  async function use<Result>(work: (engine: Engine) => Promise<Result>): Promise<Result> {
    const engine = await real()
    await restarting
    try {
      return await work(engine)
    } catch (error) {
      const words = error instanceof EngineError ? anew[error.problem] : undefined
      if (words === undefined || !(error instanceof EngineError)) throw error
      restarting ??= beginAnew(engine)
      await restarting
      throw new EngineError(error.problem, words)
    }
  }

  return {
    state,
    start: async () => void (await real()),
    onRestart(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    engine: {
      read: (sql, options) => use((engine) => engine.read(sql, options)),
      plan: (sql, options) => use((engine) => engine.plan(sql, options)),
      addCsv: (csv) => use((engine) => engine.addCsv(csv)),
      addArrow: (...given) => use((engine) => engine.addArrow(...given)),
      keepStep: (n, content) => use((engine) => engine.keepStep(n, content)),
      dropSteps: () => use((engine) => engine.dropSteps()),
      setNeverSent: (table, columns) => use((engine) => engine.setNeverSent(table, columns)),
      rename: (from, to) => use((engine) => engine.rename(from, to)),
      drop: (table) => use((engine) => engine.drop(table)),
      tables: () => use((engine) => engine.tables()),
      restart: () => use(beginAnew),
      close: () => undefined,
    },
    close() {
      void starting?.then((engine) => engine.close()).catch(() => undefined) // it never was there
      starting = null
    },
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
