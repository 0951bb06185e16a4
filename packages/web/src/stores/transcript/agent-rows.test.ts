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

const said = (path: string[], messageId: string) =>
  draft('SubagentThought', { parentToolUseId: path.at(-1) ?? '', text: 'x', messageId }, { agent: path })

it('draws the tree with each parent’s money including its children’s', () => {
  const events = logOf(
    sessionCreated,
    started(['a'], 'explorer'),
    started(['a', 'b'], 'reader'),
    started(['c'], 'tester'),
    said(['a'], 'm1'),
    said(['a', 'b'], 'm2'),
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

it('says of an agent, its parents and the lead that some of their money is not known', () => {
  const events = logOf(
    sessionCreated,
    started(['a'], 'explorer'),
    started(['a', 'b'], 'reader'),
    started(['c'], 'tester'),
    said(['a', 'b'], 'm1'),
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
