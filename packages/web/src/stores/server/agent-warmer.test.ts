import { expect, it, vi } from 'vitest'
import { startLogServer } from '../testing/log-server.fixture.ts'
import { createAgentWarmer } from './agent-warmer.ts'

it('asks at most once a minute for each agent', async () => {
  const server = await startLogServer()
  const asked: string[] = []
  server.onChange = ({ path }) => {
    asked.push(path)
    return { status: 200, value: { isReady: true } }
  }
  let now = 0
  const { warm } = createAgentWarmer(server.client, () => now)
  for (const name of ['coder', 'coder', 'hello']) warm(name)
  await vi.waitFor(() => expect(asked.length).toBe(2), { timeout: 60_000 })
  now = 61_000
  warm('coder')
  await vi.waitFor(() => expect(asked.length).toBe(3), { timeout: 60_000 })
  expect([...asked].sort()).toEqual(['/v1/agents/coder/warm', '/v1/agents/coder/warm', '/v1/agents/hello/warm'])
  await server.close()
})
