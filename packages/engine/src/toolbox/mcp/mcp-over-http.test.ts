import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { McpTool } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveEverything } from '../testing/served-everything.fixture.ts'
import { openToolboxHarness, stdioServer } from '../testing/toolbox-harness.fixture.ts'

const overWeb = (type: 'http' | 'sse', url: string, change: Partial<McpTool> = {}): McpTool =>
  stdioServer('everything', [], { transport: { type, url, headers: [], terminateOnClose: true }, ...change })

describe.each(['http', 'sse'] as const)('a faulty MCP server over %s', (type) => {
  async function open(answer: (response: ServerResponse) => void, connectTimeoutMs = 1_000) {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.headers.authorization}`)
      answer(response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close().closeAllConnections())
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const opening = openToolboxHarness({
      tools: () => [overWeb(type, `http://127.0.0.1:${port}/mcp`, { connectTimeoutMs })],
      toolSecrets: async () => ({ everything: { env: {}, headers: { authorization: 'Bearer made-up-token' } } }),
    })
    const message = await opening.then(() => 'opened', String)
    return { seen, message }
  }

  it('receives the headers of the tool, and its refusal suggests a remedy', async () => {
    const { seen, message } = await open((response) => void response.writeHead(401).end('who is made-up-token?'))
    expect(seen).toEqual([`${type === 'sse' ? 'GET' : 'POST'} Bearer made-up-token`])
    expect(message).toContain('it answers 401: check the headers')
    expect(message).not.toContain('made-up-token')
  })

  it('is refused if its response does not end', async () => {
    const { message } = await open((response) => {
      const head = type === 'sse' ? 'event: endpoint\ndata: ' : '{"jsonrpc":"2.0","id":0,"result":"'
      response.writeHead(200, { 'content-type': type === 'sse' ? 'text/event-stream' : 'application/json' })
      response.write(head)
      response.write('x'.repeat(11 * 1024 * 1024))
    }, 60_000)
    expect(message).toContain('more than 10 MiB')
  })

  it('is refused if it does not exist, fails, or never completes the handshake', async () => {
    expect((await open((response) => void response.writeHead(404).end())).message).toContain('it answers 404')
    expect((await open((response) => void response.writeHead(500).end('oh'))).message).toContain('500')
    const silent = await open(
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    )
    expect(silent.message).toContain('it did not answer in time')
  })
})

describe.each([
  ['http', 'streamableHttp'],
  ['sse', 'sse'],
] as const)('an MCP server over %s', (type, transport) => {
  it('is called; a crash during a call is an error result, and the next call reconnects', async () => {
    const served = await serveEverything(transport)
    onTestFinished(served.kill)
    const { call, states } = await openToolboxHarness({ tools: () => [overWeb(type, served.url)] })
    expect((await call('mcp__everything__echo', { message: 'hello' })).output).toBe('Echo: hello')
    const long = call('mcp__everything__trigger-long-running-operation', { duration: 600, steps: 600 })
    await call('mcp__everything__echo', { message: 'again' })
    await served.kill()
    expect(await long).toEqual({ output: expect.stringContaining('failed during this call'), isError: true })
    await served.start()
    expect((await call('mcp__everything__echo', { message: 'back' })).output).toBe('Echo: back')
    expect(states.map(({ status }) => status)).toContain('restarting')
    expect(states.at(-1)?.status).toBe('connected')
  })
})
