import {
  draft,
  emptyCosts,
  emptySubagentTree,
  foldCosts,
  foldSession,
  foldSubagentTree,
  SessionEvent,
} from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { agentRows } from './agent-rows.ts'
import { sessionCreated } from './sample-events.fixture.ts'

const started = (path: string[], agentType: string) =>
  draft(
    'SubagentStarted',
    { agentId: agentType, agentType, parentToolUseId: path.at(-1) ?? '', description: agentType },
    { agent: path },
  )

const spent = (apiMessageId: string, costUsd: number) =>
  draft('UsageRecorded', {
    requestId: apiMessageId,
    apiMessageId,
    model: 'claude-haiku-4-5',
    servedModel: 'claude-haiku-4-5',
    tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    costUsd,
    source: 'gateway',
  })

const said = (path: string[], messageId: string) =>
  draft('SubagentThought', { parentToolUseId: path.at(-1) ?? '', text: 'x', messageId }, { agent: path })

it('draws the tree with each parent’s money including its children’s', () => {
  const events = [
    sessionCreated,
    started(['a'], 'explorer'),
    started(['a', 'b'], 'reader'),
    started(['c'], 'tester'),
    said(['a'], 'm1'),
    said(['a', 'b'], 'm2'),
    spent('m1', 0.1),
    spent('m2', 0.02),
  ].map((event, index) =>
    SessionEvent.parse({
      ...event,
      seq: index + 1,
      id: `evt_${String(index + 1).padStart(6, '0')}`,
      sessionId: 'ses_000001',
      at: '2026-05-04T10:00:00.000Z',
      v: 1,
    }),
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
