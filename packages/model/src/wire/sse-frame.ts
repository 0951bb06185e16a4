// Server-sent events as the Messages API sends them: one frame is an event name and its data.

export type SseFrame = { readonly event: string; readonly data: string }

export type SseFrameParser = {
  /** Takes the next bytes, split anywhere (inside a character too), and returns the frames they complete. */
  push(chunk: Uint8Array | string): SseFrame[]
}

export function encodeSseFrame(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

export function createSseFrameParser(): SseFrameParser {
  const decoder = new TextDecoder()
  let buffer = ''
  let searchFrom = 0
  let skipLineFeed = false
  let event = ''
  let data: string[] = []

  // A frame that the stream never closed with an empty line is dropped, as the standard says.
  function push(chunk: Uint8Array | string): SseFrame[] {
    buffer += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const frames: SseFrame[] = []
    let lineStart = 0
    for (let at = searchFrom; at < buffer.length; at += 1) {
      const code = buffer.charCodeAt(at)
      if (code !== 10 && code !== 13) {
        skipLineFeed = false
        continue
      }
      if (code === 10 && skipLineFeed) {
        skipLineFeed = false
        lineStart = at + 1
        continue
      }
      skipLineFeed = code === 13
      takeLine(buffer.slice(lineStart, at), frames)
      lineStart = at + 1
    }
    buffer = buffer.slice(lineStart)
    searchFrom = buffer.length
    return frames
  }

  function takeLine(line: string, frames: SseFrame[]): void {
    if (line === '') {
      if (data.length > 0) frames.push({ event: event || 'message', data: data.join('\n') })
      event = ''
      data = []
      return
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }

  return { push }
}
