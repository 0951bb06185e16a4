// Reads the body of a provider's error as far as it arrives. Its status is already known.
import type { IncomingMessage } from 'node:http'
import { watchSilence } from './silence-watch.ts'

const largestErrorBody = 1024 * 1024

/**
 * Reads to the end, so that the connection can be reused. Stops when the provider is silent or the body is too large.
 */
export async function readErrorBody(upstream: IncomingMessage, silenceMs: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  let isSilent = false
  const silence = watchSilence(silenceMs, () => {
    isSilent = true
    upstream.destroy()
  })
  try {
    for await (const chunk of upstream) {
      silence.reset()
      size += chunk.length
      if (size > largestErrorBody) break
      chunks.push(chunk)
    }
  } catch (error) {
    if (!isSilent) throw error
  } finally {
    silence.end()
  }
  return Buffer.concat(chunks)
}
