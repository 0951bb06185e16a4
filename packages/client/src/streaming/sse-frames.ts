import { withTimeout } from '@quarterdeck/protocol'
import { createParser } from 'eventsource-parser'

/** One server-sent event. Comments, which only keep the connection alive, are left out. */
export interface SseFrame {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/**
 * Splits a byte stream into frames, whatever the chunk boundaries are. Ends with the stream, or when no bytes arrive for
 * `silenceMs`. A frame that was cut off is left out.
 */
export async function* readSseFrames(
  body: ReadableStream<Uint8Array>,
  silenceMs = Number.POSITIVE_INFINITY,
): AsyncGenerator<SseFrame> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let frames: SseFrame[] = []
  const parser = createParser({
    onEvent: ({ id = null, event = 'message', data }) => void frames.push({ id, event, data }),
  })
  try {
    for (;;) {
      const read = Number.isFinite(silenceMs) ? await withTimeout(reader.read(), silenceMs) : await reader.read()
      if (read === null || read.done) return
      parser.feed(decoder.decode(read.value, { stream: true }))
      const complete = frames
      frames = []
      yield* complete
    }
  } finally {
    await reader.cancel().catch(() => undefined) // the connection may be gone already
  }
}
