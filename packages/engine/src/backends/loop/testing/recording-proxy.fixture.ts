// A proxy in front of the simulator that records requests: they show what the model knows.
import { createServer, type ServerResponse, request as send } from 'node:http'
import type { JsonObject } from '@quarterdeck/protocol'

export interface RecordingProxy {
  readonly url: string
  /** The bodies of model requests, oldest first. */
  requests(): readonly JsonObject[]
  close(): Promise<void>
}

/** `longest`: requests with more characters are refused, as by a model whose window is full. */
export async function openRecordingProxy(
  upstream: string,
  longest = Number.POSITIVE_INFINITY,
): Promise<RecordingProxy> {
  const bodies: string[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      bodies.push(body.toString())
      if (body.length > longest) return refuse(outgoing, `the maximum context length is ${longest}`)
      const { method, headers, url } = incoming
      const forward = send(`${upstream}${url ?? ''}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.on('error', () => outgoing.destroy())
        answer.pipe(outgoing)
      })
      forward.on('error', () => outgoing.destroy())
      outgoing.on('close', () => forward.destroy())
      forward.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    requests: () => bodies.map((body) => JSON.parse(body)),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** In the format of both wires. */
function refuse(outgoing: ServerResponse, message: string): void {
  outgoing.writeHead(400, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }))
}
