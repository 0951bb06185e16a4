/** One server-sent event. `comment` frames keep the connection alive and mean nothing else. */
export interface SseFrame {
  readonly id: string | null
  readonly event: string
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
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await readWithin(reader, silenceMs)
      if (done) return
      const text = decoder.decode(value, { stream: true })
      // A separator is at most four characters: what was looked through before is not looked through again.
      const from = Math.max(0, rest.length - 3)
      rest += text
      // A lone "\r" at the end may be the first half of "\r\n": it waits for the next chunk.
      const usable = rest.endsWith('\r') ? rest.length - 1 : rest.length
      const [first = '', ...blocks] = rest.slice(from, usable).split(/\r\n\r\n|\n\n|\r\r/)
      if (blocks.length === 0) continue
      const ended = [rest.slice(0, from) + first, ...blocks]
      rest = (ended.pop() ?? '') + rest.slice(usable)
      for (const block of ended) {
        const frame = parseFrame(block)
        if (frame !== null) yield frame
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined) // the connection may already be gone: nothing is left to release
  }
}

type Chunk = { readonly done: boolean; readonly value?: Uint8Array | undefined }

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
  return data.length === 0 ? null : { id, event, data: data.join('\n') }
}
