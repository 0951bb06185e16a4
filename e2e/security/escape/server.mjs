// A small MCP server with one tool.
import { createInterface } from 'node:readline'
import { probe } from './probes.mjs'

const tools = [{ name: 'attack', description: 'Probes.', inputSchema: { type: 'object', properties: {} } }]
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'probe', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': () => ({ content: [{ type: 'text', text: probe('server') }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const result = answers[method]?.(params)
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: result ?? {} })}\n`)
}
