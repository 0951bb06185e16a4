// Writes many lines to standard output at the pace of the reader.
import type { Terminal } from './terminal.ts'

/** Ends early and without an error when the reader has left (`| head`). */
export async function writeLines({ stdout }: Terminal, chunks: AsyncIterable<string>): Promise<void> {
  let isGone = false
  let resume = () => {}
  const onDrain = () => resume()
  const onEnd = () => {
    isGone = true
    resume()
  }
  stdout.on('drain', onDrain)
  for (const event of ['error', 'close']) stdout.on(event, onEnd)
  try {
    for await (const chunk of chunks) {
      if (isGone) return
      if (stdout.write(chunk)) continue
      await new Promise<void>((resolve) => {
        resume = resolve
        // The error may arrive before it is awaited.
        if (isGone || !stdout.writableNeedDrain) resolve()
      })
    }
  } finally {
    stdout.off('drain', onDrain)
    for (const event of ['error', 'close']) stdout.off(event, onEnd)
  }
}
