import type { JsonObject } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { ArgumentMatcher } from '../config/agent-tests.ts'
import { tool } from './agent-tests.fixture.ts'
import { matchArgument, matchTools } from './match-tools.ts'

const call = (name: string, given: JsonObject = {}) => ({ name, arguments: given, callId: name })

describe('matchTools', () => {
  it('matches part of the name case-sensitively, in any order and among other calls', () => {
    const calls = [call('mcp__tools__lookup_order'), call('Read')]
    expect(matchTools([tool('Read'), tool('lookup')], calls).every(({ matched }) => matched)).toBe(true)
    expect(matchTools([tool('read')], calls)).toMatchObject([
      { matched: false, reason: 'expected a call of read; called instead: mcp__tools__lookup_order, Read' },
    ])
  })

  it('reports that no tool was called', () => {
    expect(matchTools([tool('lookup')], [])).toMatchObject([
      { reason: 'expected a call of lookup; no tool was called' },
    ])
  })

  it('requires the minimum number of calls', () => {
    const twice = [tool('search', { count: 2 })]
    expect(matchTools(twice, [call('search')])).toMatchObject([
      { matched: false, reason: 'expected at least 2 calls of search; there was 1 of 1' },
    ])
    expect(matchTools(twice, [call('search'), call('search'), call('search')])).toMatchObject([{ matched: true }])
  })

  it('requires all arguments in one call', () => {
    const args: Record<string, ArgumentMatcher> = {
      id: { type: 'literal', value: 7 },
      why: { type: 'fuzzy', text: 'Late' },
    }
    const split = [call('refund', { id: 7, why: 'broken' }), call('refund', { id: 8, why: 'late' })]
    expect(matchTools([tool('refund', { args })], split)).toMatchObject([
      { matched: false, reason: 'expected a call of refund with the expected id, why; there were 0 of 2' },
    ])
    expect(matchTools([tool('refund', { args })], [call('refund', { id: 7, why: 'late ' })])).toMatchObject([
      { matched: true },
    ])
  })
})

describe('matchArgument', () => {
  it.each([
    [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
    [1, 1, true],
    [1, true, false],
    ['1', 1, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
  ])('compares the literal %j with %j: %s', (value, given, matched) => {
    expect(matchArgument({ type: 'literal', value }, given)).toBe(matched)
  })

  it.each([
    ['New York', ' new_york', true],
    ['1,000', 1000, true],
    ['5%', 0.05, true],
    ['0.1', 0.1 + 1e-12, true],
    ['0.1', 0.11, false],
    ['York', 'New York', false],
  ])('compares the fuzzy text %j with %j: %s', (text, given, matched) => {
    expect(matchArgument({ type: 'fuzzy', text }, given)).toBe(matched)
  })

  it.each([
    ['ord-\\d+', 'ord-12', true],
    ['ord-\\d+', 'an ord-12', false],
    ['a|b', 'ab', false],
    ['\\d+', 12, true],
  ])('compares the pattern %s with %j: %s', (source, given, matched) => {
    expect(matchArgument({ type: 'regex', text: source, pattern: new RegExp(`^(?:${source})$`) }, given)).toBe(matched)
  })

  it('does not match a pattern that takes too long', () => {
    const pattern = /^(?:(a+)+)$/
    expect(matchArgument({ type: 'regex', text: '(a+)+', pattern }, `${'a'.repeat(64)}!`)).toBe(false)
  })
})
