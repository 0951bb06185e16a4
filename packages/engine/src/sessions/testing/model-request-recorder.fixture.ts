// A loopback proxy in front of a model that records its requests.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function recordModelRequests(targetUrl: string) {
  const bodies: string[] = []
  const target = new URL(targetUrl)
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      bodies.push(body.toString('utf8'))
      const { method, headers, url: path } = incoming
      const requestOptions = { hostname: target.hostname, port: target.port, path, method, headers }
      const passed = request(requestOptions, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      passed.on('error', () => outgoing.destroy())
      passed.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a listening server has an address with a port
  return {
    url: `http://127.0.0.1:${port}`,
    bodies: (): readonly string[] => bodies,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
