// Spending limits, model choices and cost comparisons, as recorded in a session's log.
import { draft } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend } from '../backends/backend.ts'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { backendOf, completedTurn } from '../sessions/testing/backend-of-turn.fixture.ts'
import { ofType, rests, stateOf, type TestRuntime } from '../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import { costly, failedTurn, high, low, openHarness, outcomesOf, start } from './spending-harness.fixture.ts'

describe("a session's own limit", () => {
  it('stops the session before a request that does not fit, warns once at four fifths, and continues after a raise', async () => {
    // $0.033 each: the second passes four fifths, the third does not fit.
    const request = { model: high, output: 2000 }
    const harness = await openHarness([request, request, request], { maxBudgetUsd: 0.07 })
    const sessionId = await start(harness)
    await harness.until(sessionId, 'stopped_budget')
    const log = await harness.log(sessionId)
    expect(ofType(log, 'UsageRecorded')).toHaveLength(2)
    expect(ofType(log, 'BudgetWarning').map(({ data }) => data.budget)).toEqual(['session'])
    expect(ofType(log, 'AgentSessionBudgetExceeded').map(({ data }) => data.budget)).toEqual([undefined])
    expect(ofType(log, 'TurnEnded').at(-1)?.data.outcome).toBe('budget_limit')
    await harness.sessions.changeSession(sessionId, { limits: { maxBudgetUsd: 1 } }, 'ana')
    await harness.until(sessionId, 'idle')
    expect(ofType(await harness.log(sessionId), 'UsageRecorded')).toHaveLength(5)
  })

  it('stops the sessions of a key, regardless of their owner, and no other sessions of the owner', async () => {
    const harness = await openHarness([costly, costly])
    await harness.sessions.createBudget({ scope: 'key', subject: 'ci', period: 'day', limit: 0.04 }, 'root')
    const startWith = (key: string) =>
      harness.sessions
        .createSession({ agent: 'tester', message: 'go', owner: 'ana' }, key)
        .then(({ sessionId }) => sessionId)
    const held = await startWith('ci')
    await harness.until(held, 'stopped_budget')
    expect((await stateOf(harness, held)).statusReason).toContain('key ci per day has spent $0.03 of $0.04')
    expect((await harness.sessions.listBudgets()).budgets[0]).toMatchObject({ scope: 'key', subject: 'ci' })
    await harness.until(await startWith('phone'), 'idle')
    const { rows } = await harness.sessions.usage({ by: 'key' })
    expect(rows.map(({ key, requests }) => [key, requests])).toEqual([
      ['ci', 1],
      ['phone', 2],
    ])
  })

  it('does not stop the session when it is raised between the refusal and the end of the turn', async () => {
    let raises = 0
    const harness: TestRuntime = await openHarness([costly, costly], {
      maxBudgetUsd: 0.04,
      async onRefused(sessionId) {
        if (raises++ === 0) await harness.sessions.changeSession(sessionId, { limits: { maxBudgetUsd: 1 } }, 'ana')
      },
    })
    const sessionId = await start(harness)
    await rests(harness, sessionId, 'idle')
    const log = await harness.log(sessionId)
    expect(outcomesOf(log)).toEqual(['budget_limit', 'completed'])
    expect(ofType(log, 'AgentSessionBudgetExceeded')).toEqual([])
    expect(ofType(log, 'UsageRecorded')).toHaveLength(3)
  })

  it('stops the session at the new amount when it is raised too little', async () => {
    let raises = 0
    const harness: TestRuntime = await openHarness([costly, costly], {
      maxBudgetUsd: 0.01,
      async onRefused(sessionId) {
        if (raises++ === 0) await harness.sessions.changeSession(sessionId, { limits: { maxBudgetUsd: 0.04 } }, 'ana')
      },
    })
    const sessionId = await start(harness)
    await rests(harness, sessionId, 'stopped_budget')
    const log = await harness.log(sessionId)
    expect(outcomesOf(log)).toEqual(['budget_limit', 'budget_limit'])
    expect(ofType(log, 'AgentSessionBudgetExceeded').map(({ data }) => data.limitUsd)).toEqual([0.04])
  })
})

describe('without a gateway', () => {
  it('books reported usage with units and savings, and stops the turn when a budget is used up', async () => {
    const harness = await openTestRuntime({
      isUnmetered: true,
      backend: createScriptedBackend({
        script: [
          [
            { type: 'usage', input: 100_000, output: 1000 },
            { type: 'stall', chunks: ['thinking'] },
          ],
        ],
      }),
    })
    await harness.sessions.createBudget({ scope: 'user', subject: '*', period: 'day', limit: 0.3 }, 'root')
    const sessionId = await start(harness)
    await harness.until(sessionId, 'stopped_budget')
    const log = await harness.log(sessionId)
    expect(ofType(log, 'UsageRecorded')[0]?.data).toMatchObject({ units: 303_000, source: 'backend' })
    expect(ofType(log, 'AgentSessionBudgetExceeded')[0]?.data.budget).toBe('user ana per day')
  })
})

describe('automatic selection', () => {
  it('records its choice for each turn, counts savings, and lets a person choose instead', async () => {
    const harness = await openHarness([{ model: low, output: 1000 }])
    const sessionId = (
      await harness.sessions.createSession({ agent: 'tester', model: 'auto', message: 'hello' }, 'ana')
    ).sessionId
    await harness.until(sessionId, 'idle')
    await harness.sessions.sendMessage(sessionId, { content: 'Fix the build in src/index.ts' }, 'ana')
    await expect.poll(async () => (await stateOf(harness, sessionId)).numTurns, { timeout: 60_000 }).toBe(2)
    const log = await harness.log(sessionId)
    expect(ofType(log, 'ModelChosen').map(({ data }) => [data.model, data.rule])).toEqual([
      [low, 'short-question'],
      [high, 'default'],
    ])
    expect(ofType(log, 'TurnStarted').map(({ data }) => data.model)).toEqual([low, high])
    expect((await stateOf(harness, sessionId)).model).toBe('auto')
    // 2 × (1000 in, 1000 out): $0.006 each on low, $0.018 on high.
    const { total } = await harness.sessions.usage({ by: 'model' })
    expect(total).toMatchObject({ costUsd: expect.closeTo(0.012), savedUsd: expect.closeTo(0.024), units: 4000 })
  })
})

it('switches to high with thinking after two failed attempts, for that turn', async () => {
  let turn = 0
  const real = backendOf(async function* () {
    turn += 1
    yield turn <= 2 ? failedTurn('the tests still fail') : completedTurn
  })
  const thinking: unknown[] = []
  const backend: AgentBackend = {
    ...real,
    async createSession(options) {
      const session = await real.createSession(options)
      return { ...session, setThinking: async (wanted) => void thinking.push(wanted) }
    },
  }
  const harness = await openTestRuntime({ backend })
  const { sessionId } = await harness.sessions.createSession(
    { agent: 'tester', model: 'auto', message: 'hello' },
    'ana',
  )
  await harness.until(sessionId, 'failed')
  for (const turns of [2, 3]) {
    await harness.sessions.sendMessage(sessionId, { content: 'hello' }, 'ana')
    await expect
      .poll(async () => ofType(await harness.log(sessionId), 'TurnEnded').length, { timeout: 60_000 })
      .toBe(turns)
  }
  await harness.until(sessionId, 'idle')
  expect(ofType(await harness.log(sessionId), 'ModelChosen').map(({ data }) => [data.model, data.rule])).toEqual([
    [low, 'short-question'],
    [low, 'short-question'],
    [high, 'failed-attempts'],
  ])
  expect(thinking).toEqual([{ budgetTokens: 10_000 }, null])
})

it('reports a difference between reported and booked costs, and adds neither to the other', async () => {
  const harness = await openTestRuntime({
    backend: backendOf(async function* () {
      yield draft('TurnEnded', { ...completedTurn.data, reportedCostUsd: 0.5 })
    }),
  })
  const sessionId = await start(harness)
  await harness.until(sessionId, 'idle')
  const drifted = ofType(await harness.log(sessionId), 'CostDrifted')
  expect(drifted.map(({ data }) => data)).toEqual([{ reportedUsd: 0.5, bookedUsd: 0 }])
  expect((await stateOf(harness, sessionId)).costUsd).toBe(0)
})

describe('an answer with impossible counts', () => {
  it.each([-100_000, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])(
    'is booked as an estimate and releases no money (%d)',
    async (output) => {
      const harness = await openHarness([costly, { model: high, output }, costly])
      const sessionId = await start(harness)
      await harness.until(sessionId, 'idle')
      const booked = ofType(await harness.log(sessionId), 'UsageRecorded').map(({ data }) => data)
      expect(booked.map(({ tokens }) => tokens.isOutputEstimated ?? false)).toEqual([false, true, false])
      for (const { costUsd } of booked) expect(costUsd).toBeGreaterThan(0)
      expect((await stateOf(harness, sessionId)).costUsd).toBeCloseTo(0.069)
    },
  )
})
