// One worker and the calls it works on.
import type { MessagePort } from 'node:worker_threads'
import { startWorker, type WorkerPlace } from './start-worker.ts'
import { withPlace } from './syntax-error-place.ts'
import type { CallContext, Export, WorkerReply, WorkerRequest } from './worker-message.ts'

export type WorkerOutput = Extract<WorkerReply, { type: 'done' }>

/** The module cannot be used: what the agent file names is not there or does not load. */
class ModuleFailure extends Error {}

/** The worker ended under a call, or the call took too long. */
export class WorkerEnded extends Error {}

/** What it waited for was still being loaded when the module was saved again. */
export class Superseded extends WorkerEnded {}

export interface FunctionCall {
  readonly export: Export
  readonly input: object
  readonly context: CallContext
  readonly checksInput: boolean
  readonly timeoutMs: number
}

export interface RunningWorker {
  /** Its JSON Schema, or `null`. Rejects with `ModuleFailure` or `WorkerEnded`. */
  load(wanted: Export): Promise<object | null>
  /** Rejects as `load` does, with `WorkerEnded` when it takes too long, and at once when the signal has aborted. */
  call(call: FunctionCall, signal: AbortSignal): Promise<WorkerOutput>
  serve(wanted: Export, port: MessagePort): Promise<void>
  isAlive(): boolean
  isWorking(): boolean
  /**
   * Nothing new may be given to it. Why a module could not be loaded is remembered by Node: only another worker can try
   * again. And what was given up may still hold the thread: it is ended as soon as nothing else is under way in it.
   */
  isSpent(): boolean
  /** Gives up what waits for a module that is not loaded yet, with `Superseded`: there is a newer one. */
  giveUpLoading(): void
  end(why: string): Promise<void>
}

interface Waiting {
  /** The module it needs. */
  readonly file: string
  resolve(reply: WorkerReply): void
  reject(error: Error): void
}

/** To load a module, with everything it imports. */
const loadTimeoutMs = 30_000

export function createRunningWorker(
  place: WorkerPlace,
  onEnded: (why: string) => void = () => undefined,
): RunningWorker {
  const read = new Set<string>()
  const { worker, catchUp } = startWorker({
    ...place,
    onFile(path) {
      read.add(path)
      place.onFile(path)
    },
  })
  const waiting = new Map<number, Waiting>()
  /** Modules that have answered. */
  const ready = new Set<string>()
  let lastId = 0
  let ended: string | null = null
  let hasFailed = false
  let hasGivenUp = false

  worker.on('message', (reply: WorkerReply) => {
    const asked = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (asked !== undefined && reply.type !== 'failed') ready.add(asked.file)
    asked?.resolve(reply)
    endIfLeft()
  })
  worker.on('error', (error) => fall(error.message))
  worker.on('messageerror', (error) => fall(error.message))
  worker.on('exit', (code) => fall(`it ended itself with code ${code}`))

  function fall(why: string): void {
    if (ended !== null) return
    ended = why
    for (const { reject } of waiting.values()) reject(new WorkerEnded(why))
    waiting.clear()
    onEnded(why)
  }

  async function end(why: string): Promise<void> {
    fall(why)
    await worker.terminate()
  }

  function endIfLeft(): void {
    if (hasGivenUp && waiting.size === 0) void end('a function of this agent was stopped')
  }

  /** One that is late is given up alone: the others have their own time, whatever it does to the thread. */
  function giveUp(id: number, timeoutMs: number): void {
    const late = `it took longer than ${timeoutMs / 1000} s`
    const why = hasGivenUp ? `${late}, after another function of this agent was stopped` : late
    waiting.get(id)?.reject(new WorkerEnded(why))
    waiting.delete(id)
    hasGivenUp = true
    abort(id)
    endIfLeft()
  }

  function giveUpLoading(): void {
    for (const [id, { file, reject }] of waiting) {
      if (ready.has(file)) continue
      reject(new Superseded('its module was saved again while it was loaded'))
      waiting.delete(id)
      hasGivenUp = true
    }
    endIfLeft()
  }

  const abort = (id: number) => worker.postMessage({ type: 'abort', id } satisfies WorkerRequest)

  type Request = WorkerRequest extends infer One ? (One extends WorkerRequest ? Omit<One, 'id'> : never) : never

  function ask(request: Request, timeoutMs: number): { readonly id: number; readonly answer: Promise<WorkerReply> } {
    const id = ++lastId
    const answer = new Promise<WorkerReply>((resolve, reject) => {
      if (ended !== null) return reject(new WorkerEnded(ended))
      const timer = setTimeout(() => giveUp(id, timeoutMs), timeoutMs)
      waiting.set(id, {
        file: request.type === 'abort' ? '' : request.export.file,
        resolve(reply) {
          clearTimeout(timer)
          resolve(reply)
        },
        reject(error) {
          clearTimeout(timer)
          reject(error)
        },
      })
      worker.postMessage({ ...request, id }, request.type === 'serve' ? [request.port] : [])
    })
    return { id, answer }
  }

  async function loaded({ file }: Export, answer: Promise<WorkerReply>, signal?: AbortSignal): Promise<WorkerReply> {
    const reply = await answer
    if (reply.type !== 'failed') return reply
    hasFailed = true
    catchUp()
    throw new ModuleFailure(await withPlace(reply.message, { files: [file, ...read], project: place.project, signal }))
  }

  return {
    async load(wanted) {
      const reply = await loaded(wanted, ask({ type: 'load', export: wanted }, loadTimeoutMs).answer)
      return reply.type === 'loaded' ? reply.parameters : null
    },
    async call({ timeoutMs, ...call }, signal) {
      signal.throwIfAborted()
      const { id, answer } = ask({ type: 'call', ...call }, timeoutMs)
      const stop = () => abort(id)
      signal.addEventListener('abort', stop, { once: true })
      try {
        const reply = await loaded(call.export, answer, signal)
        if (reply.type !== 'done') throw new Error('the worker answered something else')
        return reply
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
    async serve(wanted, port) {
      await loaded(wanted, ask({ type: 'serve', export: wanted, port }, loadTimeoutMs).answer)
    },
    isAlive: () => ended === null,
    isWorking: () => waiting.size > 0,
    isSpent: () => hasFailed || hasGivenUp,
    giveUpLoading,
    end,
  }
}
