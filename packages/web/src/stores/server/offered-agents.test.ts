import type { AgentSummary } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { offeredAgents } from './offered-agents.ts'

const agent = (name: string, more: Partial<AgentSummary> = {}): AgentSummary => ({
  name,
  description: null,
  file: `${name}.yaml`,
  model: null,
  modelSource: null,
  permissionMode: null,
  starters: ['hi'],
  problems: [],
  ...more,
})

it('moves agents without starters to the end, and keeps the order of all others', () => {
  const listed = [agent('analysis', { starters: [] }), agent('b'), agent('broken', { starters: [], problems: ['?'] })]
  expect(offeredAgents([...listed, agent('a')]).map(({ name }) => name)).toEqual(['b', 'broken', 'a', 'analysis'])
})
