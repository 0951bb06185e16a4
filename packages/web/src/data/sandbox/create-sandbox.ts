// Runs JavaScript of a model in isolation: in a worker of a frame with another origin that cannot load anything. The
// server's headers restrict the frame; this file sets the limits and ends calls.
import type { Rows } from '../domain/cells.ts'
import { openFrame, type SandboxFrame } from './open-frame.ts'
import { readAnswer } from './read-answer.ts'
import { type Sandbox, type SandboxCall, SandboxError, type SandboxLimits, sandboxLimits } from './sandbox.ts'

export interface SandboxOptions {
  readonly url?: string
  readonly limits?: Partial<SandboxLimits>
}

const loadMs = 20_000

export function createSandbox({ url = '/sandbox.html', limits: changed = {} }: SandboxOptions = {}): Sandbox {
  const limits = { ...sandboxLimits, ...changed }
  const closing = new AbortController()
  let frame: SandboxFrame | null = null
  let turn: Promise<unknown> = Promise.resolve()
  const dropFrame = () => {
    frame?.remove()
    frame = null
  }

  const runNow = async (call: SandboxCall): Promise<Rows> => {
    const signal = AbortSignal.any([closing.signal, ...(call.signal === undefined ? [] : [call.signal])])
    if (signal.aborted) throw new SandboxError('cancelled', 'cancelled')
    frame ??= await openFrame({ url, loadMs }, signal)
    try {
      const { code, data, allSteps } = call
      const answer = await bounded(frame.call({ code, data, allSteps: [...allSteps], limits }), limits.timeMs, signal)
      return readAnswer(answer, limits)
    } catch (error) {
      // A call that does not end is terminated with its frame; the next call gets a new frame.
      if (error instanceof SandboxError && (error.problem === 'timeout' || error.problem === 'cancelled')) dropFrame()
      throw error
    }
  }

  return {
    async run(call) {
      refuseTooLarge(call, limits)
      const before = turn
      const running = (async () => {
        await before
        return runNow(call)
      })()
      turn = running.catch(() => undefined) // the caller gets the error; the next call only waits for the end
      return running
    },
    close() {
      closing.abort()
      dropFrame()
    },
  }
}

function refuseTooLarge({ code, data, allSteps }: SandboxCall, { codeBytes, rowsIn }: SandboxLimits): void {
  const bytes = new TextEncoder().encode(code).length
  if (bytes > codeBytes) throw new SandboxError('too-large', `the code has ${bytes} bytes; the limit is ${codeBytes}`)
  const lists = new Set([data, ...allSteps.values()])
  const rows = [...lists].reduce((sum, list) => sum + list.rows.length, 0)
  if (rows > rowsIn) {
    const advice = 'aggregate or filter in SQL first'
    throw new SandboxError('too-large', `the code would get ${rows} rows; the limit is ${rowsIn}: ${advice}`)
  }
}

function bounded<T>(answer: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
    const stop = () => {
      end()
      reject(new SandboxError('cancelled', 'cancelled'))
    }
    const timer = setTimeout(() => {
      end()
      reject(new SandboxError('timeout', `the code ran longer than ${ms / 1000} seconds and was ended`))
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
    void answer.then((value) => {
      end()
      resolve(value)
    })
  })
}
