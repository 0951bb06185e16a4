import { foldSession } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { logOf } from '../testing/logged-event.fixture.ts'
import { sessionCreated } from '../testing/sample-events.fixture.ts'
import { settingsChange, settingsOf } from './settings-draft.ts'

const session = foldSession(null, logOf(sessionCreated))
if (session === null) throw new Error('the fold made no session')
const before = settingsOf(session)

it('changes nothing when nothing differs', () => {
  expect(before).toMatchObject({ maxTurns: '10', maxBudgetUsd: '1', maxMinutes: '1', isThinking: false, tags: '' })
  expect(settingsChange(before, before)).toEqual({ body: null })
  expect(settingsChange(before, { ...before, thinkingTokens: '1' })).toEqual({ body: null })
})

it('sends only changed settings', () => {
  expect(settingsChange(before, { ...before, model: 'auto' })).toEqual({ body: { model: 'auto' } })
  expect(settingsChange(before, { ...before, maxBudgetUsd: '2,5', maxMinutes: '1.5' })).toEqual({
    body: { limits: { maxBudgetUsd: 2.5, maxDurationMs: 90_000 } },
  })
  expect(settingsChange(before, { ...before, isThinking: true, tags: 'red, blue,, red' })).toEqual({
    body: { thinking: { budgetTokens: 8000 }, tags: ['red', 'blue'] },
  })
  const thinking = { ...before, isThinking: true }
  expect(settingsChange(thinking, before)).toEqual({ body: { thinking: null } })
})

it.each([
  [{ maxTurns: '0' }, /Turns/],
  [{ maxTurns: '1.5' }, /Turns/],
  [{ maxBudgetUsd: 'much' }, /Dollars/],
  [{ maxMinutes: '-1' }, /Minutes/],
  [{ isThinking: true, thinkingTokens: '' }, /thinking/],
])('rejects invalid input: %j', (change, message) => {
  expect(settingsChange(before, { ...before, ...change })).toMatchObject({ problem: expect.stringMatching(message) })
})
