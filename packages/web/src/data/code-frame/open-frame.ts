// The page side of the code frame: loaded once, with one message port.

import { CodeFrameError } from './code-frame.ts'
import { waitForAnswer } from './wait-for-answer.ts'

export type OpenFrame = Awaited<ReturnType<typeof openFrame>>

const loadMs = 20_000

export async function openFrame(url: string, signal: AbortSignal) {
  const element = document.createElement('iframe')
  // Never with allow-same-origin: the frame must have its own origin and storage.
  element.setAttribute('sandbox', 'allow-scripts')
  element.setAttribute('aria-hidden', 'true')
  element.title = 'Code frame'
  element.tabIndex = -1
  element.referrerPolicy = 'no-referrer'
  element.style.display = 'none'
  element.src = url
  const { port1: port, port2 } = new MessageChannel()
  /** Terminates the frame at once. A pending call gets no answer. */
  const remove = () => {
    port.close()
    element.remove()
  }
  try {
    const ready = new Promise<void>((resolve) => {
      element.addEventListener('load', () => element.contentWindow?.postMessage(null, '*', [port2]), { once: true })
      port.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (fieldOf(data, 'type') === 'ready') resolve()
      }
      document.body.append(element)
    })
    const late = () =>
      new CodeFrameError('unavailable', 'The code frame did not load. Reload the page, or restart the server.')
    await waitForAnswer(ready, { ms: loadMs, late, signal })
  } catch (error) {
    remove()
    throw error
  }
  let calls = 0
  return {
    /** Posts the message; the answer is untrusted. One call at a time. */
    call(message: unknown) {
      calls += 1
      const id = calls
      return new Promise((resolve) => {
        port.onmessage = ({ data }: MessageEvent<unknown>) => {
          if (fieldOf(data, 'type') === 'answer' && fieldOf(data, 'id') === id) resolve(fieldOf(data, 'answer'))
        }
        port.postMessage({ id, call: message })
      })
    },
    remove,
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
