// An MCP server over HTTP that records its requests.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** It has one tool, `greet`. Closes when the test ends. */
export async function serveRecording() {
  const seen: { readonly method: string; readonly headers: IncomingHttpHeaders }[] = []
  const server = createServer(async (request, response) => {
    seen.push({ method: request.method ?? '', headers: request.headers })
    // It offers no event stream of its own.
    if (request.method === 'GET') return void response.writeHead(405).end()
    if (request.method === 'DELETE') return void response.writeHead(200).end()
    await answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const address = server.address()
  return { seen, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp` }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
  if (id === undefined) return void response.writeHead(202).end()
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'noting', version: '1' },
    },
    'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'good day' }] },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} })
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'made-up-session' }).end(body)
}
