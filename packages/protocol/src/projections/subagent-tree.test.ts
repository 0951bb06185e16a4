import { describe, expect, it } from 'vitest'
import { draft, isDurable } from '../events/session-event.ts'
import {
  approvalId,
  createRandom,
  cut,
  decided,
  executed,
  invoked,
  logOf,
  randomLog,
  recovered,
  requested,
  subagentStarted,
  subagentStopped,
  subagentThought,
  turnEnded,
} from './sample-log.fixture.ts'
import { childrenOf, emptySubagentTree, foldSubagentTree } from './subagent-tree.ts'

const grow = (...drafts: Parameters<typeof logOf>[0]) => foldSubagentTree(emptySubagentTree, logOf(drafts))
const keysUnder = (tree: ReturnType<typeof grow>, parent: string[] | null) =>
  childrenOf(tree, parent).map((node) => node.key)

describe('foldSubagentTree', () => {
  it('knows the parent of each subagent, at any depth', () => {
    const tree = grow(
      subagentStarted(['a']),
      subagentStarted(['b']),
      subagentStarted(['a', 'c']),
      subagentStarted(['a', 'c', 'd']),
    )
    expect(keysUnder(tree, null)).toEqual(['a', 'b'])
    expect(keysUnder(tree, ['a'])).toEqual(['a/c'])
    expect(keysUnder(tree, ['a', 'c'])).toEqual(['a/c/d'])
    expect(keysUnder(tree, ['b'])).toEqual([])
  })

  it('shows the current activity and the result of each', () => {
    expect(grow(subagentStarted(['a'])).get('a')).toMatchObject({
      status: 'running',
      activity: 'Looks around',
      toolCalls: 0,
    })
    expect(grow(subagentStarted(['a']), invoked('t', ['a'])).get('a')).toMatchObject({ activity: 'Bash', toolCalls: 1 })
    expect(grow(subagentStarted(['a']), subagentThought(['a'], 'm')).get('a')?.activity).toBe('hm')
    const done = grow(subagentStarted(['a']), subagentStopped(['a'])).get('a')
    expect(done).toMatchObject({ status: 'done', activity: 'Found it' })
    expect(done?.endedAt).not.toBeNull()
    expect(grow(subagentStarted(['a']), subagentStopped(['a'], true)).get('a')?.status).toBe('failed')
  })

  it('waits with its approval and continues with the call after any decision', () => {
    const waiting = [subagentStarted(['a']), requested(1, ['a'])]
    const goesOn = { status: 'running', activity: 'Bash' }
    expect(grow(...waiting).get('a')).toMatchObject({ status: 'waiting', activity: 'Waits: Bash' })
    expect(grow(...waiting, decided(1, {}, ['a'])).get('a')).toMatchObject(goesOn)
    expect(grow(...waiting, executed('tool_1', ['a'])).get('a')).toMatchObject(goesOn)
    const expired = draft('ApprovalExpired', { approvalId: approvalId(1) }, { agent: ['a'] })
    expect(grow(...waiting, expired).get('a')).toMatchObject(goesOn)
  })

  it('waits as long as one of its calls does, whatever happens to the others', () => {
    const waiting = [subagentStarted(['a']), requested(1, ['a']), requested(2, ['a']), executed('other', ['a'])]
    const stillWaits = { status: 'waiting', activity: 'Waits: Bash' }
    expect(grow(...waiting).get('a')).toMatchObject(stillWaits)
    expect(grow(...waiting, decided(2, {}, ['a'])).get('a')).toMatchObject(stillWaits)
    expect(grow(...waiting, decided(2, {}, ['a']), decided(1, {}, ['a'])).get('a')).toMatchObject({ status: 'running' })
  })

  it('stays ended when a decision arrives after the end', () => {
    const late = [subagentStarted(['a']), requested(1, ['a']), recovered, decided(1, { wasLive: false }, ['a'])]
    expect(grow(...late).get('a')).toMatchObject({ status: 'interrupted' })
  })

  it('shows a subagent with an unannounced parent separately', () => {
    const tree = grow(subagentStarted(['ghost', 'child']))
    expect(tree.get('ghost/child')).toMatchObject({ isUnattached: true, agentType: 'explorer' })
    expect(keysUnder(tree, null)).toEqual(['ghost/child'])
  })

  it('keeps the work of a subagent that was never announced', () => {
    const tree = grow(invoked('t', ['nobody']))
    expect(tree.get('nobody')).toMatchObject({ agentType: 'Unattached', toolCalls: 1, isUnattached: true })
    const named = foldSubagentTree(tree, logOf([subagentStarted(['nobody'])], 2))
    expect(named.get('nobody')).toMatchObject({ agentType: 'explorer', toolCalls: 1, isUnattached: false })
  })

  it('leaves none running when the turn is over or the server restarted', () => {
    for (const end of [turnEnded(1), recovered]) {
      const tree = grow(subagentStarted(['a']), subagentStarted(['b']), subagentStopped(['b']), end)
      expect(tree.get('a')).toMatchObject({ status: 'interrupted' })
      expect(tree.get('b')).toMatchObject({ status: 'done' })
    }
  })

  it('does not show the lead', () => {
    expect(grow(invoked('t'), executed('t')).size).toBe(0)
  })

  it('does not change the given tree', () => {
    const before = grow(subagentStarted(['a']))
    const frozen = structuredClone(before)
    foldSubagentTree(before, logOf([subagentStopped(['a']), subagentStarted(['b'])], 2))
    expect(before).toEqual(frozen)
  })

  it('computes the same tree however the log is split into batches', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const log = randomLog(seed, 200).filter(isDurable)
      const whole = foldSubagentTree(emptySubagentTree, log)
      const pieces = cut(log, createRandom(seed)).reduce(foldSubagentTree, emptySubagentTree)
      expect([...pieces]).toEqual([...whole])
    }
  })
})
