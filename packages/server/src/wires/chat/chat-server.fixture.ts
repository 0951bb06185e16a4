// A server with two agents, and connections to its chat socket.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@quarterdeck/client'
import type { SessionId } from '@quarterdeck/protocol'
import { startServer } from '../../app/start-server.ts'
import { runtimeOptions, type Script } from '../../runtime/runtime.fixture.ts'
import { type ChatClient, openChat, sessionIn } from './chat-client.fixture.ts'

const words: Script = (input, _turn, earlier) => {
  switch (input) {
    case 'stall':
      return [{ type: 'stall', chunks: ['half ', 'a '] }]
    case 'tools':
      return [
        { type: 'thinking', text: 'Let me see.' },
        { type: 'text', chunks: ['Looking. '] },
        { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'x'.repeat(900), toolUseId: 'toolu_1' },
        {
          type: 'subagent',
          agentType: 'scout',
          description: 'go',
          summary: 'ok',
          steps: [{ type: 'text', chunks: ['inner'] }],
        },
        { type: 'usage', input: 100, output: 10, costUsd: 0.25 },
        { type: 'broken_stream', chunks: ['lost'] },
        { type: 'text', chunks: ['There ', 'are ', '24.'] },
      ]
    case 'ask':
      return [
        { type: 'tool', name: 'Bash', input: { command: 'date' }, result: 'today' },
        { type: 'text', chunks: ['Asked.'] },
      ]
    case 'fail':
      return [{ type: 'fail', reason: 'the provider is down' }]
    case 'broke':
      return [{ type: 'limit', limit: 'budget' }]
    case 'memory':
      return [{ type: 'text', chunks: [`I know ${earlier.length} earlier`] }]
    default:
      return [{ type: 'text', chunks: ['You ', 'said ', input] }]
  }
}

export type ChatServer = Awaited<ReturnType<typeof startChatServer>>

export async function startChatServer() {
  const runtime = await runtimeOptions(words)
  const other = join(runtime.cwd, 'agents', 'other')
  await mkdir(other, { recursive: true })
  await writeFile(
    join(other, 'agent.yaml'),
    'name: other\nmodel: { provider: simulator, name: auto }\ninstructions: { inline: Be brief. }\nclaude: { permission_mode: acceptAll, bash: { enabled: true } }\n',
  )
  const server = await startServer({
    runtime,
    host: '127.0.0.1',
    port: 0,
    rateLimits: { changes: { perSecond: 10_000, burst: 10_000 } },
  })
  const url = `${server.url}/ws/chat`
  const token = (await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim()
  const client = createClient({ baseUrl: server.url, token })
  const open: ChatClient[] = []

  async function connect(query = '?agent=hello') {
    const chat = await openChat(`${url}${query}`, { authorization: `Bearer ${token}` })
    open.push(chat)
    return chat
  }

  return {
    url,
    token,
    client,
    connect,
    async begin(query?: string) {
      const chat = await connect(query)
      const connected = await chat.next('connected')
      return { chat, connected, sessionId: sessionIn(connected) as SessionId } // as the server names it
    },
    statusOf: async (sessionId: SessionId) => (await client.getSession(sessionId)).session.status,
    async leave() {
      for (const chat of open.splice(0)) await chat.close()
    },
    close: server.close,
  }
}
