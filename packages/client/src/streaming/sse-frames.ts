/** One server-sent event. Comments, which only keep the connection alive, are never given out. */
export interface SseFrame {
  readonly id: string | null
  readonly event: string
  /** Empty where only the reader's place has changed: as for browsers, that is no event. */
  readonly data: string
}

/**
 * Splits a byte stream into frames, whatever the chunk boundaries are. Ends with the stream, and also when nothing at
 * all comes for `silenceMs`; a frame that was cut off is not given out.
 */
export async function* readSseFrames(
  body: ReadableStream<Uint8Array>,
  silenceMs = Number.POSITIVE_INFINITY,
): AsyncGenerator<SseFrame> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  // What was looked through waits in pieces, so that a frame in a thousand chunks is not copied a thousand times.
  let looked: string[] = []
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, silenceMs)
      if (done) return
      rest += decoder.decode(value, { stream: true })
      // A lone "\r" at the end may be the first half of "\r\n": it waits for the next chunk.
      const usable = rest.endsWith('\r') ? rest.length - 1 : rest.length
      const [first = '', ...others] = rest.slice(0, usable).split(/\r\n\r\n|\n\n|\r\r/)
      const last = others.pop()
      if (last === undefined) {
        // A separator is at most four characters long and may have begun.
        looked.push(rest.slice(0, -4))
        rest = rest.slice(-4)
        continue
      }
      const blocks = [looked.join('') + first, ...others]
      looked = []
      rest = last + rest.slice(usable)
      for (const block of blocks) {
        const frame = parseFrame(block)
        if (frame !== null) yield frame
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined) // the connection may already be gone: nothing is left to release
  }
}

interface Chunk {
  readonly done: boolean
  readonly value?: Uint8Array | undefined
}

async function readWithin(reader: ReadableStreamDefaultReader<Uint8Array>, silenceMs: number): Promise<Chunk> {
  if (!Number.isFinite(silenceMs)) return reader.read()
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<Chunk>((resolve) => {
    timer = setTimeout(() => resolve({ done: true }), silenceMs)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } finally {
    clearTimeout(timer)
  }
}

function parseFrame(block: string): SseFrame | null {
  let id: string | null = null
  let event = 'message'
  const data: string[] = []
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') id = value
    else if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
  return id === null && data.length === 0 ? null : { id, event, data: data.join('\n') }
}
