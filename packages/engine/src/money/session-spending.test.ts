// Budgets, model choices and cost comparisons, as recorded in a session's log.
import {
  draft,
  findModel,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type SessionStatus,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend, BackendEvent } from '../backends/backend.ts'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { backendOf, completedTurn } from '../sessions/testing/backend-of-turn.fixture.ts'
import { ofType, type TestRuntime } from '../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../sessions/testing/test-runtime.fixture.ts'
import type { EventStore } from '../store/ports/event-store.ts'
import { beforeAppend, openTestStore } from '../testing/test-store.fixture.ts'

const high = findModel('high')?.id ?? ''
const low = findModel('low')?.id ?? ''
const never = new AbortController().signal

type TestHarness = TestRuntime

const failedTurn = (reason: string) =>
  draft('TurnEnded', {
    ...completedTurn.data,
    outcome: 'failed',
    result: { ...completedTurn.data.result, isError: true, errorReason: reason },
  })

interface Requesting {
  readonly requests: readonly { readonly model: string; readonly output: number }[]
  /** Between a refusal and the end of its turn. */
  readonly onRefused?: ((sessionId: SessionId) => Promise<unknown>) | undefined
}

/** An agent whose turns make these requests through the gateway in order, and stop when one is refused. */
function requesting(harness: () => TestHarness, { requests, onRefused }: Requesting) {
  let made = 0
  return backendOf(async function* (): AsyncGenerator<BackendEvent> {
    const { coordinator, sessions } = harness()
    const [session] = (await sessions.listSessions({})).sessions
    if (session === undefined) throw new Error('no session')
    const { sessionId } = session
    for (const { model, output } of requests) {
      made += 1
      const name = { sessionId, requestId: `req_${made}` }
      const estimates = { inputTokens: 1000, cachedInputTokens: 0, maxOutputTokens: 32_000 }
      const verdict = await coordinator.gatewayDecisions.authorize({ ...name, model, ...estimates }, never)
      if (verdict.type === 'refuse') {
        await onRefused?.(sessionId)
        return yield failedTurn(verdict.message)
      }
      const tokens = { input: 1000, output, cacheRead: 0, cacheWrite: 0 }
      await coordinator.gatewayDecisions.settle({
        ...name,
        apiMessageId: `msg_${made}`,
        requestedModel: model,
        servedModel: model,
        tokens,
      })
    }
    yield completedTurn
  })
}

interface HarnessOptions extends Pick<Requesting, 'onRefused'> {
  readonly maxBudgetUsd?: number
  readonly store?: EventStore
}

async function openHarness(
  requests: Requesting['requests'],
  { maxBudgetUsd = 5, store, onRefused }: HarnessOptions = {},
) {
  const made: { harness?: TestHarness } = {}
  const currentHarness = () => {
    if (made.harness === undefined) throw new Error('the runtime is not open yet')
    return made.harness
  }
  made.harness = await openTestRuntime({
    backend: requesting(currentHarness, { requests, onRefused }),
    agent: { limits: { maxTurns: 50, maxDurationMs: 3_600_000, maxBudgetUsd } },
    ...(store === undefined ? {} : { store }),
  })
  return made.harness
}

async function start(harness: TestHarness, message = 'Fix the build') {
  const { sessionId } = await harness.sessions.createSession({ agent: 'tester', message }, 'ana')
  return sessionId
}

/** $0.033. */
const costly = { model: high, output: 2000 }

const outcomesOf = (log: readonly SessionEvent[]) => ofType(log, 'TurnEnded').map(({ data }) => data.outcome)

const rests = (harness: TestHarness, sessionId: SessionId, status: SessionStatus) =>
  expect.poll(async () => (await stateOf(harness, sessionId)).status, { timeout: 60_000 }).toBe(status)

const stateOf = async (harness: TestHarness, sessionId: SessionId) =>
  (await harness.sessions.getSession(sessionId)).session

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
    const harness: TestHarness = await openHarness([costly, costly], {
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
    const harness: TestHarness = await openHarness([costly, costly], {
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
    const harness: TestHarness = await openHarness([costly, costly], {
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
