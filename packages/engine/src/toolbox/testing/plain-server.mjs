// An MCP server without any library: it reports its input byte by byte.
import { argv, cwd, env, stdin, stdout } from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const greeting = ({ protocolVersion }) => ({
  protocolVersion,
  capabilities: { tools: {} },
  serverInfo: { name: 'plain', version: '1' },
})
const habits = {
  initialize: greeting,
  'tools/list': () => ({ tools: [{ name: 'tell', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: input }) => {
    const text = JSON.stringify({ cwd: cwd(), args: argv.slice(2), env, input })
    return { content: [{ type: 'text', text }] }
  },
}

for await (const line of createInterface({ input: stdin })) {
  const { id, method, params } = JSON.parse(line)
  const result = habits[method]?.(params)
  if (result === undefined) continue
  // Characters of several bytes arrive in pieces.
  const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  const middle = bytes.findIndex((byte) => byte > 127) + 1
  stdout.write(bytes.subarray(0, middle))
  if (middle > 0) await sleep(20)
  stdout.write(bytes.subarray(middle))
}
