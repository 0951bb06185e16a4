// One worker process and its calls. Code of the agent runs in it and may write anything to the channel: an invalid message
// ends this worker, and no other.
import { fileURLToPath } from 'node:url'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { cutText } from '@quarterdeck/protocol'
import { firstErrorLine } from '../../isolation/first-error-line.ts'
import type { ProcessExit } from '../../isolation/spawn-sandboxed.ts'
import { longestOutput } from './longest-output.ts'
import { readLines } from './read-lines.ts'
import { defaultMemoryMb, startWorker, type WorkerOptions } from './start-worker.ts'
import { type CallContext, type Export, WorkerReply, type WorkerRequest } from './worker-message.ts'

type Answer = Extract<WorkerReply, { id: number }>
export type WorkerOutput = Extract<WorkerReply, { type: 'done' }>

/** The module cannot be used: the export that the agent file names does not exist or does not load. */
class ModuleFailure extends Error {}

/** The worker ended during a call, or the call took too long. */
export class WorkerEnded extends Error {}

/** The module was saved again while it was being loaded. */
export class Superseded extends WorkerEnded {}

export interface FunctionCall {
  readonly export: Export
  readonly input: object
  readonly context: CallContext
  readonly checksInput: boolean
  readonly timeoutMs: number
}

export interface WorkerListener {
  /** Called with each file of the project that the worker reads. */
  onFile?(path: string): void
  /** Called with the text that it prints. */
  onPrinted(text: string): void
  /** Called with each message of the MCP server that it serves. */
  onMcp?(message: unknown): void
  onEnded?(why: string): void
}

export type RunningWorker = ReturnType<typeof createRunningWorker>

interface Waiting {
  /** The module it needs. */
  readonly file: string
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** The time limit for loading a module with its imports. */
const loadTimeoutMs = 30_000
/** More than any project has, and few enough to check for changes. */
const maxFiles = 10_000
const maxReasonLength = 2_000
/** The worker truncates results itself and adds a note at the end. */
const maxOutputLength = longestOutput + 100
/** Enough to find the reason that Node prints before its trace. */
const maxPrintedLength = 20_000
const ownFolder = fileURLToPath(new URL('.', import.meta.url))

/** Throws with a message if the worker cannot be started. */
export function createRunningWorker(workerOptions: WorkerOptions, listener: WorkerListener) {
  const child = startWorker(workerOptions)
  const waiting = new Map<number, Waiting>()
  /** Abandoned calls that may still be answered. */
  const abandoned = new Set<number>()
  /** Modules that have been loaded. */
  const ready = new Set<string>()
  let lastId = 0
  let files = 0
  let printed = ''
  let isReady = false
  let ended: string | null = null
  let hasFailed = false
  let hasGivenUp = false

  readLines(child.output, {
    onLine: (line) => ended === null && receive(parseReply(line)),
    onTooLong: () => void end('it sent a message larger than 32 MiB'),
  })
  child.errors.on('data', (text: string) => {
    printed = (printed + text).slice(-maxPrintedLength)
    listener.onPrinted(text)
  })
  void child.exit.then((exit) => markEnded(reasonOf(exit)))

  function receive(reply: WorkerReply | null): void {
    if (reply === null) return endInvalid()
    switch (reply.type) {
      case 'ready':
        if (isReady) return endInvalid()
        isReady = true
        return
      case 'file':
        files += 1
        if (files > maxFiles) return endInvalid()
        if (!reply.path.startsWith(ownFolder)) listener.onFile?.(reply.path)
        return
      case 'mcp':
        return listener.onMcp === undefined ? endInvalid() : listener.onMcp(reply.message)
      case 'crashed':
        return void end(reply.why.slice(0, maxReasonLength))
      default:
        return settle(reply)
    }
  }

  function settle(answer: Answer): void {
    if (abandoned.delete(answer.id)) return
    const asked = waiting.get(answer.id)
    if (asked === undefined) return endInvalid()
    waiting.delete(answer.id)
    if (answer.type !== 'failed') ready.add(asked.file)
    asked.resolve(answer)
    endIfLeft()
  }

  const endInvalid = (): void => void end('it wrote an invalid message to the result channel')

  function reasonOf({ how, code, stderr }: ProcessExit): string {
    if (printed.includes('heap out of memory')) {
      return `it needed more than ${workerOptions.memoryMb ?? defaultMemoryMb} MB of memory`
    }
    const why = code === null ? how : `it ended itself with code ${code}`
    // Before the worker is ready, stderr has only text of the system and of Node.
    return isReady || stderr === '' ? why : `it could not be started: ${firstErrorLine(stderr)}`
  }

  function markEnded(why: string): void {
    if (ended !== null) return
    ended = why
    for (const { reject } of waiting.values()) reject(new WorkerEnded(why))
    waiting.clear()
    listener.onEnded?.(why)
  }

  async function end(why: string): Promise<void> {
    markEnded(why)
    await child.end()
  }

  function endIfLeft(): void {
    if (hasGivenUp && waiting.size === 0) void end('a function of this agent was stopped')
  }

  function giveUpOn(id: number, error: WorkerEnded): void {
    waiting.get(id)?.reject(error)
    waiting.delete(id)
    abandoned.add(id)
    hasGivenUp = true
  }

  /** Abandons one late call. The other calls keep their own timeouts. */
  function giveUp(id: number, timeoutMs: number): void {
    const tooLong = `it took longer than ${timeoutMs / 1000} s`
    giveUpOn(id, new WorkerEnded(hasGivenUp ? `${tooLong}, after another function of this agent was stopped` : tooLong))
    send({ type: 'abort', id })
    endIfLeft()
  }

  /** Rejects calls that wait for a module that is still loading, with `Superseded`: there is a newer version. */
  function giveUpLoading(): void {
    for (const [id, { file }] of waiting) {
      if (!ready.has(file)) giveUpOn(id, new Superseded('its module was saved again while it was being loaded'))
    }
    endIfLeft()
  }

  const send = (request: WorkerRequest): void => void child.input.write(`${JSON.stringify(request)}\n`)

  type Question = Extract<WorkerRequest, { export: Export }>
  type Request = Question extends infer One ? (One extends Question ? Omit<One, 'id'> : never) : never

  function ask(request: Request, timeoutMs: number): { readonly id: number; readonly answer: Promise<Answer> } {
    const id = ++lastId
    // A module that never finishes loading would keep the worker from reporting that it read the file.
    listener.onFile?.(request.export.file)
    const answer = new Promise<Answer>((resolve, reject) => {
      if (ended !== null) return reject(new WorkerEnded(ended))
      const timer = setTimeout(() => giveUp(id, timeoutMs), timeoutMs)
      waiting.set(id, {
        file: request.export.file,
        resolve(reply) {
          clearTimeout(timer)
          resolve(reply)
        },
        reject(error) {
          clearTimeout(timer)
          reject(error)
        },
      })
      send({ ...request, id })
    })
    return { id, answer }
  }

  async function loaded(answer: Promise<Answer>): Promise<Answer> {
    const reply = await answer
    if (reply.type !== 'failed') return reply
    hasFailed = true
    throw new ModuleFailure(reply.message.slice(0, maxReasonLength))
  }

  return {
    /** Its JSON Schema, or `null`. Rejects with `ModuleFailure` or `WorkerEnded`. */
    async load(wanted: Export) {
      const reply = await loaded(ask({ type: 'load', export: wanted }, loadTimeoutMs).answer)
      return reply.type === 'loaded' ? reply.parameters : null
    },
    /** Rejects as `load` does, with `WorkerEnded` when it takes too long, and at once when the signal has aborted. */
    async call({ timeoutMs, ...call }: FunctionCall, signal: AbortSignal) {
      signal.throwIfAborted()
      const { id, answer } = ask({ type: 'call', ...call }, timeoutMs)
      const stop = () => send({ type: 'abort', id })
      signal.addEventListener('abort', stop, { once: true })
      try {
        const reply = await loaded(answer)
        if (reply.type !== 'done') throw new Error('the worker sent an unexpected answer')
        return { ...reply, output: cutText(reply.output, maxOutputLength) }
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
    /** Connects the MCP server that the export returns. Rejects as `load` does. */
    async serve(wanted: Export) {
      await loaded(ask({ type: 'serve', export: wanted }, loadTimeoutMs).answer)
    },
    sendMcp: (message: JSONRPCMessage) => send({ type: 'mcp', message }),
    isAlive: () => ended === null,
    isWorking: () => waiting.size > 0,
    /**
     * Accepts no new calls. Node remembers why a module could not be loaded, so only another worker can retry. An
     * abandoned call may still run: the worker is ended as soon as no other call is running in it.
     */
    isSpent: () => hasFailed || hasGivenUp,
    giveUpLoading,
    end,
  }
}

function parseReply(line: string): WorkerReply | null {
  try {
    return WorkerReply.parse(JSON.parse(line))
  } catch {
    // The caller ends the worker, which rejects its calls.
    return null
  }
}
