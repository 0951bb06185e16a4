import type { AttachedClient, SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { turnEndingTools } from './turn-ending-tools.ts'

const tool = { name: 'final_answer', description: '', inputSchema: { type: 'object' } }
const client: AttachedClient = {
  clientId: 'tab',
  tools: [
    { ...tool, endsTurn: true },
    { ...tool, name: 'run_query' },
  ],
  at: new Date(0).toISOString(),
}
const context = { sessionId: 'ses_000000' as SessionId, signal: new AbortController().signal }
const called = (name: string) => ({ tool_name: `mcp__client__${name}` })

it('ends the turn after a tool with endsTurn, and after no other', async () => {
  const hooks = turnEndingTools(() => [client])
  expect(hooks.hasListener('PostToolUse')).toBe(true)
  expect(await hooks.run('PostToolUse', called('final_answer'), context)).toMatchObject({ continue: false })
  expect(await hooks.run('PostToolUse', called('run_query'), context)).toEqual({})
  expect(await hooks.run('PostToolUseFailure', called('final_answer'), context)).toEqual({})
})

it('listens only to PostToolUse, and only when a client has such a tool', () => {
  expect(turnEndingTools(() => []).hasListener('PostToolUse')).toBe(false)
  expect(turnEndingTools(() => [client]).hasListener('PreToolUse')).toBe(false)
})
