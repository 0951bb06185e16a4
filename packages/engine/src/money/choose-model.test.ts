import { modelCatalog } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { type ChoiceFacts, chooseModel, currentModel, subagentModelOf } from './choose-model.ts'

const facts: ChoiceFacts = {
  message: 'What is the capital of France?',
  thinking: null,
  effort: null,
  failedAttempts: 0,
}
const choose = (change: Partial<ChoiceFacts>) => chooseModel({ ...facts, ...change }, modelCatalog)
const high = 'claude-sonnet-4-5-20250929'
const low = 'claude-haiku-4-5'

describe('automatic selection', () => {
  it.each([
    ['What is the capital of France?', low],
    ['hello', low],
    ['How do I say thank you in Japanese?', low],
    ['Fix the failing test', high],
    ['What does src/index.ts do?', high],
    ['What is wrong with `a + b`?', high],
    ['Why does main.py crash?', high],
    ['Write a haiku', high],
    [`What about this: ${'word '.repeat(60)}?`, high],
    ['Look at what is done, then go on with the task.', high],
  ])('routes "%s" to %s', (message, model) => {
    expect(choose({ message }).model).toBe(model)
  })

  it.each([
    [{ thinking: { budgetTokens: 4000 } }, 'thinking'],
    [{ effort: 'high' }, 'effort'],
    [{ effort: 'max' }, 'effort'],
    [{ failedAttempts: 2 }, 'failed-attempts'],
  ] satisfies [Partial<ChoiceFacts>, string][])('uses high for %o, regardless of the request', (change, rule) => {
    expect(choose(change)).toMatchObject({ model: high, rule })
  })

  it('keeps the choice after one failed attempt, and with low effort', () => {
    expect(choose({ failedAttempts: 1, effort: 'low' }).model).toBe(low)
  })
})

it('has a current model before the first turn and between turns, and low for subagents', () => {
  expect(currentModel({ model: 'auto', lastModel: null }, modelCatalog)).toBe(high)
  expect(currentModel({ model: 'auto', lastModel: low }, modelCatalog)).toBe(low)
  expect(currentModel({ model: 'claude-opus-4-6', lastModel: low }, modelCatalog)).toBe('claude-opus-4-6')
  expect(subagentModelOf({ model: 'auto' }, modelCatalog)).toBe(low)
  expect(subagentModelOf({ model: high }, modelCatalog)).toBeNull()
})
