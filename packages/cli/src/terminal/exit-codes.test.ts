import { QuarterdeckError, TurnOutcome } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { exitCodeOfError, exitCodeOfTurn } from './exit-codes.ts'

describe('the exit code of a turn', () => {
  const codes: Readonly<Record<TurnOutcome, number>> = {
    completed: 0,
    failed: 1,
    interrupted: 1,
    turn_limit: 1,
    budget_limit: 1,
    timeout: 3,
    crashed: 3,
  }

  it.each(TurnOutcome.options)('tells a script the cause of %s', (outcome) => {
    expect(exitCodeOfTurn(outcome, { backendSessionId: 'there' })).toBe(codes[outcome])
  })

  it('is 3 for an agent that never started', () => {
    expect(exitCodeOfTurn('failed', { backendSessionId: null })).toBe(3)
    expect(exitCodeOfTurn('interrupted', { backendSessionId: null })).toBe(1)
  })
})

describe('the exit code of an error', () => {
  it.each([
    ['config.invalid', 2],
    ['agent.not-found', 2],
    ['session.closed', 1],
    ['backend.budget', 1],
    ['backend.crashed', 3],
    ['store.held', 3],
  ] as const)('%s is %i', (code, expected) => {
    expect(exitCodeOfError(new QuarterdeckError(code, 'made up'))).toBe(expected)
  })

  it('is 3 for an unexpected error', () => {
    expect(exitCodeOfError(new TypeError('a bug'))).toBe(3)
    expect(exitCodeOfError('not even an error')).toBe(3)
  })
})
