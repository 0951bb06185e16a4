// The functions of one agent, in a worker process that is replaced when it ends or when a module has changed.
import { statSync } from 'node:fs'
import { messageOf } from '@quarterdeck/protocol'
import type { Logger } from '../../ports/logger.ts'
import { createRunningWorker, type FunctionCall, type RunningWorker, Superseded } from './running-worker.ts'
import type { WorkerOptions } from './start-worker.ts'
import type { Export } from './worker-message.ts'

export interface ModuleHostOptions {
  readonly agentName: string
  readonly workerOptions: WorkerOptions
  /** Whether modules are reloaded when their files change. */
  readonly isWatching: boolean
  /** Removes secrets from the log. */
  readonly redact: (text: string) => string
  readonly logger: Logger
}

export type ModuleHost = ReturnType<typeof createModuleHost>

interface Generation {
  readonly worker: RunningWorker
  /** The files it has read, with their modification times. */
  readonly files: Map<string, number>
  /** The modules loaded in it: a second request for one need not wait while the worker is busy. */
  readonly loaded: Map<string, Promise<object | null>>
}

/** How soon a saved file is noticed. */
const checkEveryMs = 300

/** How much printed text goes into one log entry. */
export const longestPrinted = 2_000

export function createModuleHost(options: ModuleHostOptions) {
  const { agentName, workerOptions, isWatching, redact, logger } = options
  let generation: Generation | null = null
  const retired = new Set<RunningWorker>()
  const listeners = new Set<() => Promise<void>>()
  const checking = isWatching ? setInterval(checkFiles, checkEveryMs) : null
  checking?.unref()

  function begin(): Generation {
    const files = new Map<string, number>()
    const worker = createRunningWorker(workerOptions, {
      onFile: (path) => void files.set(path, changedAt(path)),
      onPrinted: (text) =>
        logger.info({ agent: agentName, text: redact(text).slice(0, longestPrinted).trimEnd() }, 'a tool printed'),
    })
    return { worker, files, loaded: new Map() }
  }

  function present(): Generation {
    if (generation?.worker.isAlive() && !generation.worker.isSpent()) return generation
    if (generation !== null) retire(generation)
    generation = begin()
    return generation
  }

  function load({ worker, loaded }: Generation, wanted: Export): Promise<object | null> {
    const key = JSON.stringify([wanted.file, wanted.name])
    const known = loaded.get(key) ?? worker.load(wanted)
    loaded.set(key, known)
    known.catch(() => loaded.delete(key))
    return known
  }

  /** Running calls are finished, but no new ones are given to it. */
  function retire({ worker }: Generation): void {
    retired.add(worker)
    sweep()
  }

  function sweep(): void {
    for (const worker of retired) {
      if (worker.isAlive() && worker.isWorking()) continue
      retired.delete(worker)
      void worker.end('it was replaced')
    }
  }

  function checkFiles(): void {
    sweep()
    if (generation === null || ![...generation.files].some(([path, before]) => changedAt(path) !== before)) return
    generation.worker.giveUpLoading()
    retire(generation)
    generation = null
    void reload()
  }

  /** The developer who saved the file expects a message. */
  async function reload(): Promise<void> {
    const outcomes = await Promise.allSettled([...listeners].map((listener) => listener()))
    if (outcomes.length === 0) return
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed === undefined) return logger.info({}, `reloaded the functions of ${agentName}`)
    const why = messageOf(failed.reason)
    logger.warn({ error: redact(why) }, `a module of ${agentName} that was just saved cannot be loaded`)
  }

  async function use<Result>(work: (now: Generation) => Promise<Result>): Promise<Result> {
    if (isWatching) checkFiles()
    try {
      return await work(present())
    } finally {
      sweep()
    }
  }

  /** A caller that waits for a module gets the newest version. */
  async function loadNewest(wanted: Export): Promise<object | null> {
    for (;;) {
      try {
        return await use((now) => load(now, wanted))
      } catch (error) {
        if (!(error instanceof Superseded)) throw error
      }
    }
  }

  return {
    load: loadNewest,
    call: (call: FunctionCall, signal: AbortSignal) =>
      use((now) => {
        // Marks the call as started: a module that is only being loaded is replaced by a newer version.
        load(now, call.export).catch(() => undefined) // the call reports it
        return now.worker.call(call, signal)
      }),
    /** Calls `listener` to load again when a file of a module has changed. Returns a function that unsubscribes. */
    onReload(listener: () => Promise<void>) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      if (checking !== null) clearInterval(checking)
      const all = [...retired, ...(generation === null ? [] : [generation.worker])]
      generation = null
      await Promise.all(all.map((worker) => worker.end('the server is stopping')))
    },
  }
}

/** A deleted file has changed too. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
