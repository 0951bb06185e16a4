// Budgets of several sessions, as recorded in their logs.
import { draft, QuarterdeckError } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { ofType, rests, stateOf, type TestRuntime } from '../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import { beforeAppend, openTestStore } from '../testing/test-store.fixture.ts'
import { costly, high, never, openHarness, outcomesOf, start } from './spending-harness.fixture.ts'

describe('a shared budget', () => {
  it('stops the session with its name, and the session continues when the budget is raised', async () => {
    const harness = await openHarness([
      { model: high, output: 2000 },
      { model: high, output: 2000 },
    ])
    const body = { scope: 'user', subject: 'ana', period: 'month', limit: 0.04 } as const
    const { budgetId } = await harness.sessions.createBudget(body, 'root')
    const sessionId = await start(harness)
    await harness.until(sessionId, 'stopped_budget')
    const stopped = ofType(await harness.log(sessionId), 'AgentSessionBudgetExceeded')
    expect(stopped.map(({ data }) => data.budget)).toEqual(['user ana per month'])
    const sum = { unit: 'usd', spent: expect.closeTo(0.033), limit: 0.04 }
    expect(stopped[0]?.data).toMatchObject({ limitUsd: 5, sum })
    const [waiting] = (await harness.sessions.inbox()).items
    expect(waiting).toMatchObject({ isOwnLimit: false, budgetId, spentUsd: expect.closeTo(0.033), limitUsd: 0.04 })
    expect((await stateOf(harness, sessionId)).statusReason).toContain('user ana per month has spent $0.03 of $0.04')
    expect((await harness.sessions.listBudgets()).budgets[0]).toMatchObject({
      spent: expect.closeTo(0.033),
      limit: 0.04,
    })

    await harness.sessions.changeBudget(budgetId, { limit: 0.0001 }, 'root')
    expect((await stateOf(harness, sessionId)).status).toBe('stopped_budget')
    await harness.sessions.changeBudget(budgetId, { limit: 1 }, 'root')
    await harness.until(sessionId, 'idle')
    expect(ofType(await harness.log(sessionId), 'UsageRecorded')).toHaveLength(3)
  })

  it('lets the session continue when it is raised between the refusal and the end of the turn', async () => {
    const harness: TestRuntime = await openHarness([costly, costly], {
      onRefused: () => harness.sessions.changeBudget(budgetId, { limit: 50 }, 'root'),
    })
    const { budgetId } = await harness.sessions.createBudget({ scope: 'all', period: 'day', limit: 0.04 }, 'root')
    const sessionId = await start(harness)
    await rests(harness, sessionId, 'idle')
    const log = await harness.log(sessionId)
    expect(outcomesOf(log)).toEqual(['budget_limit', 'completed'])
    expect(ofType(log, 'AgentSessionBudgetExceeded').map(({ data }) => data.budget)).toEqual(['everybody per day'])
  })

  it.each([
    { when: 'a turn', limit: 0.04, first: [] },
    { when: 'what was to become a turn', limit: 0.01, first: ['earlier'] },
  ])('lets the session continue when it is raised while the end of $when is written', async ({ limit, first }) => {
    let raise: (() => Promise<unknown>) | null = null
    const store = beforeAppend(await openTestStore(), async (drafts) => {
      const now = drafts.some(({ type }) => type === 'AgentSessionBudgetExceeded') ? raise : null
      if (now !== null) raise = null
      await now?.()
    })
    const harness = await openHarness([costly, costly], { store })
    for (const message of first) await harness.until(await start(harness, message), 'idle')
    const { budgetId } = await harness.sessions.createBudget({ scope: 'all', period: 'day', limit }, 'root')
    raise = () => harness.sessions.changeBudget(budgetId, { limit: 50 }, 'root')
    const sessionId = await start(harness)
    await rests(harness, sessionId, 'idle')
    expect(ofType(await harness.log(sessionId), 'AgentSessionBudgetExceeded')).toHaveLength(1)
  })

  it('is replaced as the reason by another used-up budget when it is raised', async () => {
    const harness = await openHarness([costly])
    await harness.until(await start(harness), 'idle')
    const day = { scope: 'all', period: 'day', limit: 0.01 } as const
    const month = { scope: 'user', subject: 'ana', period: 'month', limit: 0.01 } as const
    const budgets = [
      await harness.sessions.createBudget(day, 'root'),
      await harness.sessions.createBudget(month, 'root'),
    ]
    const sessionId = await start(harness)
    await rests(harness, sessionId, 'stopped_budget')
    const named = (await stateOf(harness, sessionId)).stoppedBudgetId
    const other = budgets.find(({ budgetId }) => budgetId !== named)?.budgetId
    if (named === undefined || other === undefined) throw new Error('no budget is named')
    await harness.sessions.changeBudget(named, { limit: 50 }, 'root')
    await expect.poll(async () => (await stateOf(harness, sessionId)).stoppedBudgetId).toBe(other)
    expect((await stateOf(harness, sessionId)).queued).toHaveLength(1)
    await harness.sessions.changeBudget(other, { limit: 50 }, 'root')
    await rests(harness, sessionId, 'idle')
  })

  it('starts no turn when it is used up: the message waits', async () => {
    const harness = await openHarness([{ model: high, output: 2000 }])
    const first = await start(harness)
    await harness.until(first, 'idle')
    const { budgetId } = await harness.sessions.createBudget({ scope: 'all', period: 'day', limit: 0.01 }, 'root')
    const second = await start(harness)
    await harness.until(second, 'stopped_budget')
    const log = await harness.log(second)
    expect(ofType(log, 'TurnStarted')).toEqual([])
    expect((await stateOf(harness, second)).queued).toHaveLength(1)
    await harness.sessions.removeBudget(budgetId, 'root')
    await harness.until(second, 'idle')
    expect((await stateOf(harness, second)).queued).toEqual([])
  })

  it('in dollars refuses a model without a price; under the default limit alone it runs', async () => {
    const harness = await openHarness([{ model: 'claude-next', output: 10 }])
    const sessionId = await start(harness)
    const live = await harness.coordinator.open(sessionId)
    await harness.until(sessionId, 'failed')
    const request = { sessionId, requestId: 'one', inputTokens: 9, cachedInputTokens: 0, maxOutputTokens: 9 }
    await live.writer.record([draft('ModelChanged', { from: high, to: 'claude-next', by: 'ana' })])
    expect(await harness.coordinator.gatewayDecisions.authorize({ ...request, model: 'claude-next' }, never)).toEqual({
      type: 'go',
    })
    await harness.sessions.createBudget({ scope: 'all', period: 'month', limit: 10 }, 'root')
    expect(
      await harness.coordinator.gatewayDecisions.authorize(
        { ...request, requestId: 'two', model: 'claude-next' },
        never,
      ),
    ).toMatchObject({ type: 'refuse', message: expect.stringContaining('the price of "claude-next" is unknown') })
  })
})

it('keeps unbooked spending reserved while the disk is full', async () => {
  let failures = 2
  const store = beforeAppend(await openTestStore(), (drafts) => {
    const isBooking = drafts.some(({ type }) => type === 'UsageRecorded')
    if (isBooking && failures-- > 0) throw new QuarterdeckError('store.unavailable', 'no space left')
  })
  const harness = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store })
  const { sessionId } = await harness.sessions.createSession({ agent: 'tester' }, 'ana')
  await harness.sessions.createBudget({ scope: 'all', period: 'total', limit: 0.04 }, 'root')
  const request = { sessionId, model: high, inputTokens: 1000, cachedInputTokens: 0, maxOutputTokens: 32_000 }
  const tokens = { input: 1000, output: 2000, cacheRead: 0, cacheWrite: 0 }
  const use = { sessionId, requestId: 'one', apiMessageId: 'msg_1', requestedModel: high, servedModel: high, tokens }
  expect(await harness.coordinator.gatewayDecisions.authorize({ ...request, requestId: 'one' }, never)).toEqual({
    type: 'go',
  })
  const booked = harness.coordinator.gatewayDecisions.settle(use)
  await expect.poll(() => failures).toBe(1)
  // $0.033 of $0.04 is spent but not booked yet.
  const next = await harness.coordinator.gatewayDecisions.authorize({ ...request, requestId: 'two' }, never)
  expect(next).toMatchObject({ type: 'refuse', message: expect.stringContaining('$0.03 of $0.04') })
  await booked
})

it('gives its warning once, through the first session that can write it', async () => {
  let failures = 1
  const store = beforeAppend(await openTestStore(), (drafts) => {
    const isWarning = drafts.some(({ type }) => type === 'BudgetWarning')
    if (isWarning && failures-- > 0) throw new Error('the log is out of reach')
  })
  const harness = await openTestRuntime({ backend: createScriptedBackend({ script: [] }), store })
  await harness.sessions.createBudget({ scope: 'all', period: 'total', limit: 0.04 }, 'root')
  const tokens = { input: 1000, output: 2000, cacheRead: 0, cacheWrite: 0 }
  const warned: number[] = []
  // $0.033 each: the first one passes four fifths.
  for (const requestId of ['one', 'two', 'three']) {
    const { sessionId } = await harness.sessions.createSession({ agent: 'tester' }, 'ana')
    const use = { sessionId, requestId, apiMessageId: requestId, requestedModel: high, servedModel: high, tokens }
    await harness.coordinator.gatewayDecisions.settle(use)
    warned.push(ofType(await harness.log(sessionId), 'BudgetWarning').length)
  }
  expect(warned).toEqual([0, 1, 0])
})
