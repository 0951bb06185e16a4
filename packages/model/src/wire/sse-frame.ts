// Server-sent events as the Messages API sends them: one frame is an event name and its data.
import { createParser } from 'eventsource-parser'

export interface ProviderFrame {
  readonly event: string
  readonly data: string
}

export const encodeSseFrame = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

// Far above any frame of a provider. It bounds the memory that an endless line or frame takes.
const largestFrame = 64 * 1024 * 1024

export function createSseFrameParser() {
  const decoder = new TextDecoder()
  let frames: ProviderFrame[] = []
  const parser = createParser({
    maxBufferSize: largestFrame,
    onEvent: ({ event = 'message', data }) => void frames.push({ event, data }),
    onError({ type }) {
      // Everything else, such as an unknown field, is ignored as the standard says.
      if (type === 'max-buffer-size-exceeded') {
        throw new Error(`a frame of the stream is larger than ${largestFrame} characters`)
      }
    },
  })
  return {
    /**
     * Takes the next bytes, split anywhere, even inside a character, and returns the frames they complete. Throws when
     * an unfinished frame exceeds the bound.
     */
    push(chunk: Uint8Array | string): readonly ProviderFrame[] {
      parser.feed(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
      const complete = frames
      frames = []
      return complete
    },
  }
}
