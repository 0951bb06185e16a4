import { expect, it } from 'vitest'
import { draft, type EventDraft } from '../events/session-event.ts'
import { noticeOf } from './notice.ts'
import { logOf, recovered, thought } from './sample-log.fixture.ts'

const noticeText = (one: EventDraft) => logOf([one]).map(noticeOf)[0]

it.each([
  [
    draft('ModelRequestRetrying', { attempt: 1, maxRetries: 10, delayMs: 1200, status: 429, error: 'rate limited' }),
    { kind: 'retry', tone: 'info', text: 'The provider did not answer (rate limited). Try 1 of 10 in 1.2 s.' },
  ],
  [
    draft('AgentContextCompacted', { preTokens: 150_000, trigger: 'auto' }),
    { kind: 'compaction', tone: 'info', text: 'Context compacted (auto), 150,000 tokens before.' },
  ],
  [
    draft('AgentSessionBudgetExceeded', { totalCostUsd: 0.51, limitUsd: 0.5 }),
    { kind: 'budget', tone: 'stopped', text: 'Out of budget: the limit is $0.50.' },
  ],
  [
    draft('AgentSessionBudgetExceeded', {
      totalCostUsd: 0.02,
      limitUsd: 0.5,
      budget: 'agent hello per day',
      sum: { unit: 'usd', spent: 0.02, limit: 0.01 },
    }),
    { kind: 'budget', tone: 'stopped', text: 'Out of budget: the limit of agent hello per day is $0.01.' },
  ],
  [
    draft('AgentSessionBudgetExceeded', {
      totalCostUsd: 0.02,
      limitUsd: 0.5,
      budget: 'everybody per day',
      sum: { unit: 'units', spent: 120, limit: 100 },
    }),
    { kind: 'budget', tone: 'stopped', text: 'Out of budget: the limit of everybody per day is 100 units.' },
  ],
  [
    draft('BudgetChanged', {
      from: { maxTurns: 30, maxBudgetUsd: 1, maxDurationMs: 60_000 },
      to: { maxTurns: 50, maxBudgetUsd: 1, maxDurationMs: 120_000 },
      by: 'ben',
    }),
    {
      kind: 'budget',
      tone: 'info',
      text: 'ben changed the limits: 50 turns (was 30 turns), 2 min 0 s (was 1 min 0 s).',
    },
  ],
  [
    draft('BudgetWarning', { budget: 'everybody per day', unit: 'units', spent: 9800.4, limit: 12_000 }),
    { kind: 'budget', tone: 'info', text: '9,800 of 12,000 units of the budget (everybody per day) are used.' },
  ],
  [
    draft('AgentSessionTurnLimitReached', { numTurns: 50, limit: 50 }),
    { kind: 'turns', tone: 'stopped', text: 'Out of turns: the limit is 50.' },
  ],
  [
    draft('AgentSessionFailed', { reason: 'no access', errors: ['the key is wrong'] }),
    { kind: 'failure', tone: 'failed', text: 'no access: the key is wrong' },
  ],
  [recovered, { kind: 'recovery', tone: 'interrupted' }],
])('describes %j', (event, notice) => {
  expect(noticeText(event)).toMatchObject(notice)
})

it('includes the last output of a process that stopped, if there is any', () => {
  const crash = (stderr: string) => noticeText(draft('BackendCrashed', { exitCode: 1, signal: null, stderr }))?.text
  const sentence = 'The agent process stopped unexpectedly. The next message starts it again.'
  expect(crash('')).toBe(sentence)
  expect(crash('warning\nout of memory\n')).toBe(`${sentence} Last output: out of memory`)
})

it('returns null for events that are shown in another way', () => {
  expect(noticeText(thought('hello', 'm'))).toBeNull()
})
