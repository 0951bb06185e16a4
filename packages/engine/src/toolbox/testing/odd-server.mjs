// An MCP server with faults that tests need: it crashes, hangs, grows, pages its list and starts subprocesses.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { env, exit } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const { ODD_FAILS, ODD_TOKEN } = env
if (ODD_FAILS !== undefined) {
  console.error(`cannot start with ${ODD_FAILS}`)
  exit(9)
}
console.log('a line that is no message')

const say = (text) => ({ content: [{ type: 'text', text }] })
const more = []
const habits = {
  fall() {
    console.error(`falling with ${ODD_TOKEN}`)
    exit(7)
  },
  async dawdle({ progressToken }) {
    for (let progress = 1; progress <= 5; progress += 1) {
      await sleep(300)
      await server.notification({ method: 'notifications/progress', params: { progressToken, progress } })
    }
    return say('at last')
  },
  stay({ file }, signal) {
    signal.addEventListener('abort', () => writeFileSync(file, 'cancelled'))
    return new Promise(() => undefined)
  },
  async grow() {
    more.push('grown')
    await server.sendToolListChanged()
    return say('grew')
  },
  multiply({ mark }) {
    spawn('sh', ['-c', `sleep 1000; : ${mark}`], { stdio: 'ignore', detached: true }).unref()
    return say('multiplied')
  },
  peek: ({ file }) => say(readFileSync(file, 'utf8')),
  env: () => say(JSON.stringify(env)),
  'odd name!': () => say('called by an odd name'),
  'a.twin': () => say('the first twin'),
  'a twin': () => say('the second twin'),
  eu__env: () => say('nothing of eu'),
  refuse() {
    throw Object.assign(new Error('the account is closed'), { code: -32000 })
  },
  ramble({ id }) {
    console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { content: 'no list' } }))
    return new Promise(() => undefined)
  },
  overflow: () => say('x'.repeat(11 * 1024 * 1024)),
  freeze() {
    for (;;);
  },
  async pester() {
    const ask = () => server.elicitInput({ message: 'well?', requestedSchema: { type: 'object', properties: {} } })
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    return say(answers.map(({ action }) => action).join(' '))
  },
}

const { server } = new McpServer({ name: 'odd', version: '1' }, { capabilities: { tools: { listChanged: true } } })
server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const from = Number(params?.cursor ?? 0)
  const names = [...Object.keys(habits), 'no tool', ...more]
  const tools = names
    .slice(from, from + 3)
    .map((name) => ({ name, description: name, inputSchema: { type: name === 'no tool' ? 'string' : 'object' } }))
  return { tools, ...(from + 3 < names.length && { nextCursor: String(from + 3) }) }
})
server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta, requestId }) =>
  habits[params.name]({ ...params.arguments, progressToken: _meta?.progressToken, id: requestId }, signal),
)
await server.connect(new StdioServerTransport())
