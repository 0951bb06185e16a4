// Reads lines from a byte stream, with a limit on the length of a line. Runs on plain Node in workers.
import type { Readable } from 'node:stream'

/** In bytes. Enough for the ten images of a result, 20 MiB together, as base64. */
export const longestWorkerMessage = 32 * 1024 * 1024

interface LineListener {
  onLine(line: string): void
  /** Called once. No line is read after it. */
  onTooLong?(): void
}

export function readLines(stream: Readable, { onLine, onTooLong }: LineListener): void {
  let parts: Buffer[] = []
  let bytes = 0
  let isOver = false
  stream.on('data', (chunk: Buffer) => {
    let rest = chunk
    while (!isOver) {
      const end = rest.indexOf(10)
      const part = end === -1 ? rest : rest.subarray(0, end)
      bytes += part.length
      if (bytes > longestWorkerMessage) {
        isOver = true
        parts = []
        return onTooLong?.()
      }
      parts.push(part)
      if (end === -1) return
      const line = Buffer.concat(parts).toString('utf8')
      parts = []
      bytes = 0
      rest = rest.subarray(end + 1)
      onLine(line)
    }
  })
}
