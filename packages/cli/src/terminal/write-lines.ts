// Much at once to standard output, at the pace of whoever reads it, until they have read enough.
import type { Terminal } from './terminal.ts'

/** Ends early and quietly where the reader has left (`| head`): that is their business, and nothing went wrong. */
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
        // Told before anybody waited for it.
        if (isGone || !stdout.writableNeedDrain) resolve()
      })
    }
  } finally {
    stdout.off('drain', onDrain)
    for (const event of ['error', 'close']) stdout.off(event, onEnd)
  }
}
