import { describe, expect, it } from 'vitest'
import { isDurable } from '../events/session-event.ts'
import { agentKey, emptyCosts, foldCosts } from './costs.ts'
import {
  created,
  createRandom,
  cut,
  executed,
  invoked,
  logOf,
  randomLog,
  subagentThought,
  thought,
  used,
} from './sample-log.fixture.ts'
import { foldSession } from './session/fold-session.ts'

const sum = (...drafts: Parameters<typeof logOf>[0]) => foldCosts(emptyCosts, logOf(drafts))

describe('foldCosts', () => {
  it('sums requests in total and by model', () => {
    const costs = sum(used('a', 0.25, 'x'), used('b', 0.5, 'y'), used('c', 0.25, 'x'))
    expect(costs.total).toMatchObject({
      requests: 3,
      costUsd: 1,
      tokens: { input: 30, output: 15, cacheRead: 6, cacheWrite: 3 },
    })
    expect(costs.byModel.get('x')).toMatchObject({ requests: 2, costUsd: 0.5 })
    expect(costs.byModel.get('y')).toMatchObject({ requests: 1, costUsd: 0.5 })
  })

  it('assigns a request to its agent by the message, whichever comes first', () => {
    for (const drafts of [
      [subagentThought(['a', 'b'], 'm'), used('m')],
      [used('m'), subagentThought(['a', 'b'], 'm')],
    ]) {
      const costs = sum(...drafts)
      expect(costs.byAgent.get('a/b')).toMatchObject({ requests: 1, costUsd: 0.01 })
      expect(costs.unplaced.size).toBe(0)
    }
  })

  it('counts a message of several blocks once', () => {
    const costs = sum(thought('one', 'msg_t'), invoked('t'), used('msg_t'))
    expect(costs.byAgent.get('')).toMatchObject({ requests: 1 })
  })

  it('keeps a request that no message claims, and counts it in the total', () => {
    const costs = sum(used('nobody'))
    expect(costs.unplaced.size).toBe(1)
    expect(costs.byAgent.size).toBe(0)
    expect(costs.total.requests).toBe(1)
  })

  it('reports a missing price and estimates none', () => {
    expect(sum(used('a', null)).total).toMatchObject({ costUsd: 0, hasUnpricedUsage: true })
    expect(sum(used('a', 0.1)).total.hasUnpricedUsage).toBe(false)
  })

  it('marks sums that contain an estimate, as the session does', () => {
    const guessed = used('b', 0.25, 'y')
    const log = [
      used('a', 0.25, 'x'),
      { ...guessed, data: { ...guessed.data, tokens: { ...guessed.data.tokens, isOutputEstimated: true } } },
      used('c', 0.25, 'x'),
    ]
    const costs = sum(...log)
    expect(costs.total.tokens.isOutputEstimated).toBe(true)
    expect(costs.byModel.get('y')?.tokens.isOutputEstimated).toBe(true)
    expect(costs.byModel.get('x')?.tokens).not.toHaveProperty('isOutputEstimated')
    expect(foldSession(null, logOf([created, ...log]))?.tokens).toMatchObject({ output: 15, isOutputEstimated: true })
  })

  it('returns the same object when no event of the batch concerns it', () => {
    const costs = sum(used('a'))
    expect(foldCosts(costs, logOf([executed('t')], 2))).toBe(costs)
  })

  it('uses the empty key for the lead', () => {
    expect(agentKey(null)).toBe('')
    expect(agentKey(['a', 'b'])).toBe('a/b')
  })

  it('computes the same sums however the log is split, and the same total as the session', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const log = randomLog(seed, 300).filter(isDurable)
      const whole = foldCosts(emptyCosts, log)
      expect(cut(log, createRandom(seed)).reduce(foldCosts, emptyCosts)).toEqual(whole)
      expect(foldSession(null, log)?.costUsd).toBe(whole.total.costUsd)
    }
  })
})
