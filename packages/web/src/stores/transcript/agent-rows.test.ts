import { draft, emptyCosts, emptySubagentTree, foldCosts, foldSession, foldSubagentTree } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { logOf } from '../testing/logged-event.fixture.ts'
import { sessionCreated, spent } from '../testing/sample-events.fixture.ts'
import { agentRows } from './agent-rows.ts'

const started = (path: string[], agentType: string) =>
  draft(
    'SubagentStarted',
    { agentId: agentType, agentType, parentToolUseId: path.at(-1) ?? '', description: agentType },
    { agent: path },
  )

const thought = (path: string[], messageId: string) =>
  draft('SubagentThought', { parentToolUseId: path.at(-1) ?? '', text: 'x', messageId }, { agent: path })

it('builds the tree with the cost of children included in each parent', () => {
  const events = logOf(
    sessionCreated,
    started(['a'], 'explorer'),
    started(['a', 'b'], 'reader'),
    started(['c'], 'tester'),
    thought(['a'], 'm1'),
    thought(['a', 'b'], 'm2'),
    spent(0.1, 'm1'),
    spent(0.02, 'm2'),
  )
  const session = foldSession(null, events)
  if (session === null) throw new Error('the fold made no session')
  const rows = agentRows(session, foldSubagentTree(emptySubagentTree, events), foldCosts(emptyCosts, events))
  expect(rows.map((row) => [row.name, row.depth, row.trunks, Number(row.costUsd.toFixed(2))])).toEqual([
    ['coder', 0, [], 0.12],
    ['explorer', 1, [0], 0.12],
    ['reader', 2, [0], 0.02],
    ['tester', 1, [], 0],
  ])
  expect(rows.map((row) => row.hasChildren)).toEqual([true, true, false, false])
})

it('marks an agent, its parents and the lead when some usage has no price', () => {
  const events = logOf(
    sessionCreated,
    started(['a'], 'explorer'),
    started(['a', 'b'], 'reader'),
    started(['c'], 'tester'),
    thought(['a', 'b'], 'm1'),
    spent(null, 'm1'),
  )
  const session = foldSession(null, events)
  if (session === null) throw new Error('the fold made no session')
  const rows = agentRows(session, foldSubagentTree(emptySubagentTree, events), foldCosts(emptyCosts, events))
  expect(rows.map((row) => [row.name, row.hasUnpricedUsage])).toEqual([
    ['coder', true],
    ['explorer', true],
    ['reader', true],
    ['tester', false],
  ])
})
