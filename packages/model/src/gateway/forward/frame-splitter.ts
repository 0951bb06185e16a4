// Splits a byte stream of server-sent events into frames without losing a byte: joined, the frames are the stream.

export interface FrameSplitter {
  /** The frames that the chunk completes, each with the empty line that ends it. */
  push(chunk: Buffer): readonly Buffer[]
  /** Returns the bytes of the unfinished frame and clears them. */
  rest(): Buffer
}

// A larger frame is passed on unfinished.
const largestFrame = 4 * 1024 * 1024
const lineFeed = 10
const carriageReturn = 13

export function createFrameSplitter(): FrameSplitter {
  let pieces: Buffer[] = []
  let size = 0
  let isLineEmpty = true
  let follows: 'anything' | 'carriage-return' = 'anything'

  function rest(): Buffer {
    const bytes = Buffer.concat(pieces)
    pieces = []
    size = 0
    return bytes
  }

  function keep(piece: Buffer): void {
    pieces.push(piece)
    size += piece.byteLength
  }

  return {
    rest,
    push(chunk) {
      const frames: Buffer[] = []
      let start = 0
      for (let at = 0; at < chunk.byteLength; at += 1) {
        const byte = chunk[at]
        // The line feed after a carriage return that has already ended the line.
        const isSecondHalf = byte === lineFeed && follows === 'carriage-return'
        follows = byte === carriageReturn ? 'carriage-return' : 'anything'
        if (isSecondHalf) continue
        const endsLine = byte === lineFeed || byte === carriageReturn
        if (endsLine && isLineEmpty) {
          keep(chunk.subarray(start, at + 1))
          frames.push(rest())
          start = at + 1
        }
        isLineEmpty = endsLine
      }
      if (start < chunk.byteLength) keep(chunk.subarray(start))
      if (size > largestFrame) frames.push(rest())
      return frames
    },
  }
}
