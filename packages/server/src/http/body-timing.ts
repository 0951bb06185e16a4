// Time limits of a request body: a client that stops sending does not hold its connection.
import { QuarterdeckError, withTimeout } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv, BodyTiming } from './app-env.ts'

export const defaultBodyTiming: BodyTiming = { bodyIdleMs: 30_000, bodyTotalMs: 60_000 }

/** A large body that arrives at this rate or faster is always read to its end. */
const minBytesPerMs = 16

export const limitBodyTime =
  (timing: BodyTiming): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    c.set('bodyTiming', timing)
    await next()
  }

/** Throws `request.timeout` when the client takes too long, and `request.invalid` when it closes the connection. */
export async function* readChunks(body: ReadableStream<Uint8Array>, timing: BodyTiming): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  // Monotonic: a change of the system time does not end a request.
  const startedAt = performance.now()
  let received = 0
  try {
    for (;;) {
      const left = startedAt + timing.bodyTotalMs + received / minBytesPerMs - performance.now()
      const read = await withTimeout(reader.read(), Math.max(0, Math.min(left, timing.bodyIdleMs)))
      if (read === null) throw tooSlow()
      if (read.done) return
      received += read.value.byteLength
      yield read.value
    }
  } catch (cause) {
    if (cause instanceof QuarterdeckError) throw cause
    throw new QuarterdeckError('request.invalid', 'the connection was closed before the end of the body', { cause })
  } finally {
    // Discards the rest of the body after a failure; does nothing at its end.
    void reader.cancel().catch(() => undefined)
  }
}

const tooSlow = () =>
  new QuarterdeckError('request.timeout', 'the body did not arrive in time: send it without pauses, or send less')
