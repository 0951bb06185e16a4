// @ts-check
// The same over one WebSocket: the server sends the agent's asks to this program.
//   node examples/client-node/socket.mjs
import { readFile } from 'node:fs/promises'
import { createSocketClient } from '@quarterdeck/client'
import { WebSocket } from 'ws'

const baseUrl = process.env.QUARTERDECK_URL ?? 'http://127.0.0.1:4300'
const token = process.env.QUARTERDECK_TOKEN ?? (await readFile('.quarterdeck/token', 'utf8')).trim()
// Node 22 and later have a global WebSocket: leave the option out there.
const client = createSocketClient({ baseUrl, token, WebSocket })

client.handle('approval.request', ({ toolName, toolInput }) => {
  const isExpected = toolName === 'Bash' && toolInput.command === 'echo approved'
  console.log(`[client] ${toolName} ${JSON.stringify(toolInput)} -> ${isExpected ? 'allow' : 'deny'}`)
  return { decision: isExpected ? 'allow' : 'deny' }
})
client.handle('question.ask', () => ({ answers: null, note: 'no person is available to answer' }))
client.handle('tool.call', ({ toolInput }) => ({ output: `${toolInput.article}: 7 pieces` }))

const stock = {
  name: 'stock',
  description: 'The number of pieces of an article in stock.',
  inputSchema: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
}

/**
 * @param {import('@quarterdeck/protocol').SessionId} sessionId
 * @param {number} after
 * @returns the last event that was seen
 */
async function printTurn(sessionId, after) {
  let last = after
  for await (const event of client.follow(sessionId, { after })) {
    if ('seq' in event) last = event.seq
    if (event.type === 'AgentThought') console.log(event.data.text)
    if (event.type === 'TurnEnded') break
  }
  return last
}

const { sessionId } = await client.call('session.start', {
  agent: 'coder',
  message: 'run `echo approved`',
  client: { clientId: 'socket.mjs', tools: [stock] },
})
const last = await printTurn(sessionId, 0)
await client.call('session.message', { sessionId, content: 'use stock {"article": "pears"}' })
await printTurn(sessionId, last)
await client.call('session.close', { sessionId })
client.close()
