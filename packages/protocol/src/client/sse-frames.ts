/** One server-sent event. `comment` frames keep the connection alive and mean nothing else. */
export interface SseFrame {
  readonly id: string | null
  readonly event: string
  readonly data: string
}

/** Splits a byte stream into frames, whatever the chunk boundaries are. */
export async function* readSseFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<SseFrame> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      // A lone "\r" at the end may be the first half of "\r\n": it waits for the next chunk.
      const usable = rest.endsWith('\r') ? rest.length - 1 : rest.length
      const blocks = rest.slice(0, usable).split(/\r\n\r\n|\n\n|\r\r/)
      rest = (blocks.pop() ?? '') + rest.slice(usable)
      for (const block of blocks) {
        const frame = parseFrame(block)
        if (frame !== null) yield frame
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined) // the connection may already be gone: nothing is left to release
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
