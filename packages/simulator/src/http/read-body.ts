import type { IncomingMessage } from 'node:http'

/** The parsed JSON body, or undefined when it is not JSON: the schema that follows then says what is missing. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    // Answered by the caller as an invalid request.
    return undefined
  }
}
