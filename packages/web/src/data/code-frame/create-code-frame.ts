// Runs JavaScript of a model in isolation: in a worker of a frame with another origin that cannot load anything. The
// server's headers restrict the frame; this file sets the limits and ends calls.
import { createSerialQueue } from '@quarterdeck/protocol'
import type { Rows } from '../domain/cells.ts'
import {
  type CodeFrame,
  type CodeFrameCall,
  CodeFrameError,
  type CodeFrameLimits,
  codeFrameLimits,
} from './code-frame.ts'
import { type OpenFrame, openFrame } from './open-frame.ts'
import { readAnswer } from './read-answer.ts'
import { waitForAnswer } from './wait-for-answer.ts'

export interface CodeFrameOptions {
  readonly url?: string
  readonly limits?: Partial<CodeFrameLimits>
}

export function createCodeFrame({ url = '/sandbox.html', limits: changed = {} }: CodeFrameOptions = {}): CodeFrame {
  const limits = { ...codeFrameLimits, ...changed }
  const closing = new AbortController()
  let frame: OpenFrame | null = null
  const runInOrder = createSerialQueue()
  const dropFrame = () => {
    frame?.remove()
    frame = null
  }

  const runNow = async (call: CodeFrameCall): Promise<Rows> => {
    const signal = AbortSignal.any([closing.signal, ...(call.signal === undefined ? [] : [call.signal])])
    if (signal.aborted) throw new CodeFrameError('cancelled', 'cancelled')
    frame ??= await openFrame(url, signal)
    try {
      const { code, data, allSteps } = call
      const { timeMs } = limits
      const late = () =>
        new CodeFrameError('timeout', `the code ran longer than ${timeMs / 1000} seconds and was ended`)
      const answer = frame.call({ code, data, allSteps: [...allSteps], limits })
      return readAnswer(await waitForAnswer(answer, { ms: timeMs, late, signal }), limits)
    } catch (error) {
      // A call that does not end is terminated with its frame; the next call gets a new frame.
      if (error instanceof CodeFrameError && (error.problem === 'timeout' || error.problem === 'cancelled')) dropFrame()
      throw error
    }
  }

  return {
    async run(call) {
      refuseTooLarge(call, limits)
      return runInOrder(() => runNow(call))
    },
    close() {
      closing.abort()
      dropFrame()
    },
  }
}

function refuseTooLarge({ code, data, allSteps }: CodeFrameCall, { codeBytes, rowsIn }: CodeFrameLimits): void {
  const bytes = new TextEncoder().encode(code).length
  if (bytes > codeBytes) throw new CodeFrameError('too-large', `the code has ${bytes} bytes; the limit is ${codeBytes}`)
  const lists = new Set([data, ...allSteps.values()])
  const rows = [...lists].reduce((sum, list) => sum + list.rows.length, 0)
  if (rows > rowsIn) {
    const advice = 'aggregate or filter in SQL first'
    throw new CodeFrameError('too-large', `the code would get ${rows} rows; the limit is ${rowsIn}: ${advice}`)
  }
}
