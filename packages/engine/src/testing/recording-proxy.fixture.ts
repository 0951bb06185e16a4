// A proxy in front of a model that records its requests: they show what the model knows.
import { createServer, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** `longest`: requests with more characters are refused, as by a model whose window is full. */
export async function openRecordingProxy(upstream: string, longest = Number.POSITIVE_INFINITY) {
  const recorded: { readonly path: string; readonly body: string }[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const { method, headers, url: path = '' } = incoming
      recorded.push({ path, body: body.toString() })
      if (body.length > longest) return refuse(outgoing, `the maximum context length is ${longest}`)
      const forward = send(`${upstream}${path}`, { method, headers }, (answer) => {
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
  const { port } = server.address() as AddressInfo // a listening server has an address with a port
  return {
    url: `http://127.0.0.1:${port}`,
    /** The requests to paths that start like this, oldest first. */
    bodies: (prefix = '/'): readonly string[] =>
      recorded.filter(({ path }) => path.startsWith(prefix)).map(({ body }) => body),
    async close(): Promise<void> {
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
