// Limits the wait for an answer of the code frame.
import { CodeFrameError } from './code-frame.ts'

interface Bound {
  readonly ms: number
  /** The error if there is no answer by then. */
  readonly late: () => CodeFrameError
  readonly signal: AbortSignal
}

/** Rejects if the time is over or the signal aborts. The answer itself never rejects. */
export function waitForAnswer<T>(answer: Promise<T>, { ms, late, signal }: Bound): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => fail(new CodeFrameError('cancelled', 'cancelled'))
    const timer = setTimeout(() => fail(late()), ms)
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
    const fail = (error: CodeFrameError) => {
      end()
      reject(error)
    }
    signal.addEventListener('abort', stop)
    void answer.then(resolve).then(end)
  })
}
