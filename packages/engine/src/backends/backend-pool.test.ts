import { expect, it } from 'vitest'
import { silentLogger } from '../ports/logger.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import type { AgentBackend } from './backend.ts'
import { createBackendPool } from './backend-pool.ts'
import { createScriptedBackend } from './scripted/create-scripted-backend.ts'

const before = testAgent('/project')
const after = testAgent('/project')
const other = testAgent('/project', { name: 'other' })
const names = new Map([
  [before, 'before'],
  [after, 'after'],
  [other, 'other'],
])

function openPool(change: (backend: AgentBackend) => Partial<AgentBackend> = () => ({})) {
  const made: string[] = []
  const left: string[] = []
  const pool = createBackendPool({
    create(agent) {
      const name = names.get(agent) ?? agent.name
      made.push(name)
      const backend = createScriptedBackend({ script: [] })
      return { ...backend, teardown: async () => void left.push(name), ...change(backend) }
    },
    logger: silentLogger,
  })
  return { pool, made, left }
}

it('creates one backend per definition, even for repeated requests', async () => {
  const { pool, made, left } = openPool()
  await Promise.all([pool.get(before), pool.get(before), pool.get(other)])
  expect(made).toEqual(['before', 'other'])
  expect(left).toEqual([])
})

it('keeps the backend of a changed file until it is released for the last session', async () => {
  const { pool, made, left } = openPool()
  const old = await pool.get(before)
  const releases = [old.retain(), (await pool.get(before)).retain()]
  await pool.get(after)
  expect(left).toEqual([])
  releases[0]?.()
  releases[0]?.()
  expect(left).toEqual([])
  releases[1]?.()
  await expect.poll(() => left).toEqual(['before'])
  await pool.close()
  expect(left).toEqual(['before', 'after'])
  expect(made).toEqual(['before', 'after'])
})

it('tears down an unused backend as soon as its file changes', async () => {
  const { pool, left } = openPool()
  await pool.get(before)
  await pool.get(other)
  await pool.get(after)
  await expect.poll(() => left).toEqual(['before'])
})

it('keeps the newest backend of an agent even without a session', async () => {
  const { pool, left } = openPool()
  const release = (await pool.get(before)).retain()
  release()
  await pool.get(before)
  expect(left).toEqual([])
})

it('keeps an old backend while an operation still uses it', async () => {
  let finish: (id: string | null) => void = () => undefined
  const branched = new Promise<string | null>((resolve) => {
    finish = resolve
  })
  const { pool, left } = openPool(() => ({ branch: () => branched }))
  const old = await pool.get(before)
  const branching = old.branch({} as Parameters<AgentBackend['branch']>[0])
  await pool.get(after)
  expect(left).toEqual([])
  finish('branch')
  expect(await branching).toBe('branch')
  await expect.poll(() => left).toEqual(['before'])
})

it('retries creation after a backend failed to start', async () => {
  let failures = 1
  const { pool, made } = openPool((backend) => ({
    initialize: () => (failures-- > 0 ? Promise.reject(new Error('not now')) : backend.initialize()),
  }))
  await expect(pool.get(before)).rejects.toThrow('not now')
  await pool.get(before)
  expect(made).toEqual(['before', 'before'])
})
