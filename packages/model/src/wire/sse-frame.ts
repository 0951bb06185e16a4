// Server-sent events as the Messages API sends them: one frame is an event name and its data.

export interface SseFrame {
  readonly event: string
  readonly data: string
}

export interface SseFrameParser {
  /**
   * Takes the next bytes, split anywhere (inside a character too), and returns the frames they complete. Throws when a
   * frame is so large that it will never be one.
   */
  push(chunk: Uint8Array | string): SseFrame[]
}

export function encodeSseFrame(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

// Far above any frame of a provider; a stream that never ends its line must not fill the memory of who listens.
const longestLine = 32 * 1024 * 1024
const largestFrame = 64 * 1024 * 1024

export function createSseFrameParser(): SseFrameParser {
  const decoder = new TextDecoder()
  // The unfinished line in pieces: joining it on every chunk would cost the square of its length.
  let pieces: string[] = []
  let length = 0
  let frameSize = 0
  let skipLineFeed = false
  let event = ''
  let data: string[] = []

  // A frame that the stream never closed with an empty line is dropped, as the standard says.
  function push(chunk: Uint8Array | string): SseFrame[] {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const frames: SseFrame[] = []
    let lineStart = 0
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      const endsLine = code === 13 || (code === 10 && !skipLineFeed)
      if (endsLine) takeLine(finishLine(text.slice(lineStart, at)), frames)
      if (endsLine || code === 10) lineStart = at + 1
      skipLineFeed = code === 13
    }
    keep(text.slice(lineStart))
    return frames
  }

  function keep(piece: string): void {
    length += piece.length
    frameSize += piece.length
    if (frameSize > largestFrame) throw new Error(`a frame of the stream is larger than ${largestFrame} characters`)
    if (length <= longestLine) pieces.push(piece)
    else pieces = []
  }

  /** An overlong line becomes a comment: it ends nothing and says nothing. */
  function finishLine(rest: string): string {
    keep(rest)
    const line = length > longestLine ? ':' : pieces.join('')
    pieces = []
    length = 0
    return line
  }

  function takeLine(line: string, frames: SseFrame[]): void {
    if (line === '') {
      if (data.length > 0) frames.push({ event: event || 'message', data: data.join('\n') })
      event = ''
      data = []
      frameSize = 0
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
