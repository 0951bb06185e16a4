import { createClient } from '@quarterdeck/client'
import { expect, it } from 'vitest'
import { problem } from '../testing/log-server.fixture.ts'
import { createServerStore } from './server-store.ts'

const info = { version: '0.1.0', usesSimulator: true, principal: 'ana', dataFolder: '/data', compatListeners: [] }

it('loads the server info and its agents, and ignores unknown addresses', async () => {
  const known: Readonly<Record<string, unknown>> = { '/v1/server': info, '/v1/agents': { agents: [] } }
  const client = createClient({
    baseUrl: 'http://server',
    fetch: async (input) => {
      const reply = known[new URL(String(input)).pathname]
      return reply === undefined
        ? Response.json(problem('internal', 500, 'broken'), { status: 500 })
        : Response.json(reply)
    },
  })
  const store = createServerStore({ client })
  await store.refresh()
  expect(store.getSnapshot()).toEqual({ info, agents: [], failure: null })
})
