// A call whose input is nested too deeply to be traversed. The permission check refuses it. The session continues
// through the gateway with a history that contains the call.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createModelGateway } from '@quarterdeck/model'
import { SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { collect, ended, find, gateOf } from '../../contract/backend-events.contract.ts'
import { never } from '../../contract/backend-harness.contract.ts'
import { unattendedOptions } from '../../contract/unattended-options.contract.ts'
import { openClaudeHarness } from '../testing/claude-harness.fixture.ts'

const deepInput = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`

interface Frame {
  readonly type: string
  readonly [name: string]: unknown
}

interface Message {
  readonly id: string
  readonly block: object
  readonly delta: object
  readonly stopReason: string
}

function sendMessage(response: ServerResponse, { id, block, delta, stopReason }: Message): void {
  const message = { id, type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  const frames: readonly Frame[] = [
    { type: 'message_start', message: { ...message, usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join(''))
}

/** Makes one call with the deep input and then only returns text. */
async function openProvider() {
  let calls = 0
  const bodies: string[] = []
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.method !== 'POST') return void response.writeHead(200).end()
    const body = Buffer.concat(chunks).toString()
    bodies.push(body)
    const id = `msg_${bodies.length}`
    if (calls > 0 || !body.includes('go deep')) {
      const delta = { type: 'text_delta', text: `answer ${bodies.length}` }
      return sendMessage(response, { id, block: { type: 'text', text: '' }, delta, stopReason: 'end_turn' })
    }
    calls += 1
    const block = { type: 'tool_use', id: 'toolu_1', name: 'mcp__tools__look', input: {} }
    const delta = { type: 'input_json_delta', partial_json: deepInput }
    sendMessage(response, { id, block, delta, stopReason: 'tool_use' })
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, bodies }
}

it('keeps a session usable after a call with an input 20,000 levels deep', async () => {
  const { baseUrl, bodies } = await openProvider()
  const warnings: string[] = []
  const gateway = createModelGateway({
    upstream: { baseUrl, credential: null },
    settle: async () => undefined,
    logger: { warn: (_facts, message) => void warnings.push(message) },
  })
  onTestFinished(gateway.close)
  await gateway.listen()
  const harness = await openClaudeHarness({ steps: [{ then: { text: 'unused' } }], maxRetries: 0 })
  onTestFinished(harness.close)
  const modelAccess = { type: 'gateway', ...gateway.openSession(SessionId.parse('ses_claudetest')) } as const
  const tool = { name: 'mcp__tools__look', description: 'Looks', inputSchema: { type: 'object', properties: {} } }
  const hostTools = { ...unattendedOptions.hostTools, list: () => [tool] }
  // Like the real check, which traverses the input.
  const gate = gateOf({
    check: async ({ toolInput }) => ({ type: 'allow', input: JSON.parse(JSON.stringify(toolInput)) }),
  })
  const session = await harness.backend.createSession(harness.options({ modelAccess, hostTools, gate }))
  const first = await collect(session.run('go deep', never))
  expect(ended(first).data).toMatchObject({ outcome: 'completed' })
  expect(find(first, 'ToolExecuted').data).toMatchObject({ isError: true, toolName: tool.name })
  expect(find(first, 'ToolExecuted').data.output).toContain('the permission check failed')
  const next = ended(await collect(session.run('and now?', never)))
  expect(next.data).toMatchObject({ outcome: 'completed', result: { isError: false } })
  expect(bodies.at(-1)).toContain('['.repeat(20_000))
  expect(warnings).toEqual([])
})
