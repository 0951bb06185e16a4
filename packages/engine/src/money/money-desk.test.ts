// Budgets, choices and comparisons as a session's log tells them.
import {
  draft,
  type EventType,
  findModel,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type SessionStatus,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { AgentBackend, BackendEvent } from '../backends/backend.ts'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import { randomIds } from '../random-ids.ts'
import { backendOf, completedTurn } from '../sessions/backend-of-turn.fixture.ts'
import { openTestHouse } from '../sessions/engine.fixture.ts'
import type { EventStore } from '../store/event-store.ts'
import { createMemoryStore } from '../store/memory/create-memory-store.ts'

const high = findModel('high')?.id ?? ''
const low = findModel('low')?.id ?? ''
const never = new AbortController().signal

type House = Awaited<ReturnType<typeof openTestHouse>>

const only = <Type extends EventType>(events: readonly SessionEvent[], type: Type) =>
  events.filter((event): event is Extract<SessionEvent, { type: Type }> => event.type === type)

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

/** An agent whose every turn makes these requests through the gateway, one after the other, and stops when refused. */
function requesting(house: () => House, { requests, onRefused }: Requesting) {
  let made = 0
  return backendOf(async function* (): AsyncGenerator<BackendEvent> {
    const { coordinator, sessions } = house()
    const [session] = (await sessions.list({})).sessions
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

interface HouseOf extends Pick<Requesting, 'onRefused'> {
  readonly maxBudgetUsd?: number
  readonly store?: EventStore
}

async function houseOf(requests: Requesting['requests'], { maxBudgetUsd = 5, store, onRefused }: HouseOf = {}) {
  const made: { house?: House } = {}
  const theHouse = () => {
    if (made.house === undefined) throw new Error('no house yet')
    return made.house
  }
  made.house = await openTestHouse({
    backend: requesting(theHouse, { requests, onRefused }),
    agent: { limits: { maxTurns: 50, maxDurationMs: 3_600_000, maxBudgetUsd } },
    ...(store === undefined ? {} : { store }),
  })
  return made.house
}

async function start(house: House, message = 'Fix the build') {
  const { sessionId } = await house.sessions.create({ agent: 'tester', message }, 'ana')
  return sessionId
}

/** $0.033. */
const costly = { model: high, output: 2000 }

const outcomesOf = (log: readonly SessionEvent[]) => only(log, 'TurnEnded').map(({ data }) => data.outcome)

const rests = (house: House, sessionId: SessionId, status: SessionStatus) =>
  expect.poll(async () => (await stateOf(house, sessionId)).status, { timeout: 60_000 }).toBe(status)

const stateOf = async (house: House, sessionId: SessionId) => (await house.sessions.snapshot(sessionId)).session

describe("a session's own limit", () => {
  it('stops it before the request that does not fit, says so once at four fifths, and lets it go on after a raise', async () => {
    // $0.033 each: the second passes four fifths, the third does not fit.
    const request = { model: high, output: 2000 }
    const house = await houseOf([request, request, request], { maxBudgetUsd: 0.07 })
    const sessionId = await start(house)
    await house.until(sessionId, 'stopped_budget')
    const log = await house.log(sessionId)
    expect(only(log, 'UsageRecorded')).toHaveLength(2)
    expect(only(log, 'BudgetWarning').map(({ data }) => data.budget)).toEqual(['session'])
    expect(only(log, 'AgentSessionBudgetExceeded').map(({ data }) => data.budget)).toEqual([undefined])
    expect(only(log, 'TurnEnded').at(-1)?.data.outcome).toBe('budget_limit')
    await house.sessions.change(sessionId, { limits: { maxBudgetUsd: 1 } }, 'ana')
    await house.until(sessionId, 'idle')
    expect(only(await house.log(sessionId), 'UsageRecorded')).toHaveLength(5)
  })

  it('stops what a key has started, whoever owns it, and nothing else of its owner', async () => {
    const house = await houseOf([costly, costly])
    await house.sessions.createBudget({ scope: 'key', subject: 'ci', period: 'day', limit: 0.04 }, 'root')
    const startWith = (key: string) =>
      house.sessions.create({ agent: 'tester', message: 'go', owner: 'ana' }, key).then(({ sessionId }) => sessionId)
    const held = await startWith('ci')
    await house.until(held, 'stopped_budget')
    expect((await stateOf(house, held)).statusReason).toContain('key ci per day has spent $0.03 of $0.04')
    expect((await house.sessions.budgets())[0]).toMatchObject({ scope: 'key', subject: 'ci' })
    await house.until(await startWith('phone'), 'idle')
    const { rows } = await house.sessions.usage({ by: 'key' })
    expect(rows.map(({ key, requests }) => [key, requests])).toEqual([
      ['ci', 1],
      ['phone', 2],
    ])
  })

  it('that is raised between the refusal and the end of the turn stops nothing', async () => {
    let raises = 0
    const house: House = await houseOf([costly, costly], {
      maxBudgetUsd: 0.04,
      async onRefused(sessionId) {
        if (raises++ === 0) await house.sessions.change(sessionId, { limits: { maxBudgetUsd: 1 } }, 'ana')
      },
    })
    const sessionId = await start(house)
    await rests(house, sessionId, 'idle')
    const log = await house.log(sessionId)
    expect(outcomesOf(log)).toEqual(['budget_limit', 'completed'])
    expect(only(log, 'AgentSessionBudgetExceeded')).toEqual([])
    expect(only(log, 'UsageRecorded')).toHaveLength(3)
  })

  it('that is raised, and not by enough, stops the session where it was raised to', async () => {
    let raises = 0
    const house: House = await houseOf([costly, costly], {
      maxBudgetUsd: 0.01,
      async onRefused(sessionId) {
        if (raises++ === 0) await house.sessions.change(sessionId, { limits: { maxBudgetUsd: 0.04 } }, 'ana')
      },
    })
    const sessionId = await start(house)
    await rests(house, sessionId, 'stopped_budget')
    const log = await house.log(sessionId)
    expect(outcomesOf(log)).toEqual(['budget_limit', 'budget_limit'])
    expect(only(log, 'AgentSessionBudgetExceeded').map(({ data }) => data.limitUsd)).toEqual([0.04])
  })
})

describe('a budget of somebody else', () => {
  it('stops the session by its name, and it goes on by itself when the budget is raised', async () => {
    const house = await houseOf([
      { model: high, output: 2000 },
      { model: high, output: 2000 },
    ])
    const body = { scope: 'user', subject: 'ana', period: 'month', limit: 0.04 } as const
    const { budgetId } = await house.sessions.createBudget(body, 'root')
    const sessionId = await start(house)
    await house.until(sessionId, 'stopped_budget')
    const stopped = only(await house.log(sessionId), 'AgentSessionBudgetExceeded')
    expect(stopped.map(({ data }) => data.budget)).toEqual(['user ana per month'])
    const sum = { unit: 'usd', spent: expect.closeTo(0.033), limit: 0.04 }
    expect(stopped[0]?.data).toMatchObject({ limitUsd: 5, sum })
    const [waiting] = (await house.sessions.inbox()).items
    expect(waiting).toMatchObject({ isOwnLimit: false, budgetId, spentUsd: expect.closeTo(0.033), limitUsd: 0.04 })
    expect((await stateOf(house, sessionId)).statusReason).toContain('user ana per month has spent $0.03 of $0.04')
    expect((await house.sessions.budgets())[0]).toMatchObject({ spent: expect.closeTo(0.033), limit: 0.04 })

    await house.sessions.changeBudget(budgetId, 0.0001, 'root')
    expect((await stateOf(house, sessionId)).status).toBe('stopped_budget')
    await house.sessions.changeBudget(budgetId, 1, 'root')
    await house.until(sessionId, 'idle')
    expect(only(await house.log(sessionId), 'UsageRecorded')).toHaveLength(3)
  })

  it('that is raised between the refusal and the end of the turn lets the session go on', async () => {
    const house: House = await houseOf([costly, costly], {
      onRefused: () => house.sessions.changeBudget(budgetId, 50, 'root'),
    })
    const { budgetId } = await house.sessions.createBudget({ scope: 'all', period: 'day', limit: 0.04 }, 'root')
    const sessionId = await start(house)
    await rests(house, sessionId, 'idle')
    const log = await house.log(sessionId)
    expect(outcomesOf(log)).toEqual(['budget_limit', 'completed'])
    expect(only(log, 'AgentSessionBudgetExceeded').map(({ data }) => data.budget)).toEqual(['everybody per day'])
  })

  it.each([
    { when: 'a turn', limit: 0.04, first: [] },
    { when: 'what was to become a turn', limit: 0.01, first: ['earlier'] },
  ])('that is raised while the end of $when is written lets the session go on', async ({ limit, first }) => {
    const real = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
    let raise: (() => Promise<unknown>) | null = null
    const store: EventStore = {
      ...real,
      async append(...written) {
        const now = written[2].some(({ type }) => type === 'AgentSessionBudgetExceeded') ? raise : null
        if (now !== null) raise = null
        await now?.()
        return real.append(...written)
      },
    }
    const house = await houseOf([costly, costly], { store })
    for (const message of first) await house.until(await start(house, message), 'idle')
    const { budgetId } = await house.sessions.createBudget({ scope: 'all', period: 'day', limit }, 'root')
    raise = () => house.sessions.changeBudget(budgetId, 50, 'root')
    const sessionId = await start(house)
    await rests(house, sessionId, 'idle')
    expect(only(await house.log(sessionId), 'AgentSessionBudgetExceeded')).toHaveLength(1)
  })

  it('that is raised while another has nothing left is named no longer: the other is', async () => {
    const house = await houseOf([costly])
    await house.until(await start(house), 'idle')
    const day = { scope: 'all', period: 'day', limit: 0.01 } as const
    const month = { scope: 'user', subject: 'ana', period: 'month', limit: 0.01 } as const
    const budgets = [await house.sessions.createBudget(day, 'root'), await house.sessions.createBudget(month, 'root')]
    const sessionId = await start(house)
    await rests(house, sessionId, 'stopped_budget')
    const named = (await stateOf(house, sessionId)).stoppedBudgetId
    const other = budgets.find(({ budgetId }) => budgetId !== named)?.budgetId
    if (named === undefined || other === undefined) throw new Error('no budget is named')
    await house.sessions.changeBudget(named, 50, 'root')
    await expect.poll(async () => (await stateOf(house, sessionId)).stoppedBudgetId).toBe(other)
    expect((await stateOf(house, sessionId)).queued).toHaveLength(1)
    await house.sessions.changeBudget(other, 50, 'root')
    await rests(house, sessionId, 'idle')
  })

  it('that is used up lets no turn start: the message waits', async () => {
    const house = await houseOf([{ model: high, output: 2000 }])
    const first = await start(house)
    await house.until(first, 'idle')
    const { budgetId } = await house.sessions.createBudget({ scope: 'all', period: 'day', limit: 0.01 }, 'root')
    const second = await start(house)
    await house.until(second, 'stopped_budget')
    const log = await house.log(second)
    expect(only(log, 'TurnStarted')).toEqual([])
    expect((await stateOf(house, second)).queued).toHaveLength(1)
    await house.sessions.removeBudget(budgetId, 'root')
    await house.until(second, 'idle')
    expect((await stateOf(house, second)).queued).toEqual([])
  })

  it('in dollars refuses a model nobody can price; under the default limit alone it runs', async () => {
    const house = await houseOf([{ model: 'claude-next', output: 10 }])
    const sessionId = await start(house)
    const live = await house.coordinator.open(sessionId)
    await house.until(sessionId, 'failed')
    const request = { sessionId, requestId: 'one', inputTokens: 9, cachedInputTokens: 0, maxOutputTokens: 9 }
    await live.writer.record([draft('ModelChanged', { from: high, to: 'claude-next', by: 'ana' })])
    expect(await house.coordinator.gatewayDecisions.authorize({ ...request, model: 'claude-next' }, never)).toEqual({
      type: 'go',
    })
    await house.sessions.createBudget({ scope: 'all', period: 'month', limit: 10 }, 'root')
    expect(
      await house.coordinator.gatewayDecisions.authorize({ ...request, requestId: 'two', model: 'claude-next' }, never),
    ).toMatchObject({
      type: 'refuse',
      message: expect.stringContaining('the price of "claude-next" is unknown'),
    })
  })
})

it('holds money back that is spent and not yet booked, for as long as the disk is full', async () => {
  const real = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
  let failures = 2
  const store: EventStore = {
    ...real,
    async append(...written) {
      const isBooking = written[2].some(({ type }) => type === 'UsageRecorded')
      if (isBooking && failures-- > 0) throw new QuarterdeckError('store.unavailable', 'no space left')
      return real.append(...written)
    },
  }
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }), store })
  const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
  await house.sessions.createBudget({ scope: 'all', period: 'total', limit: 0.04 }, 'root')
  const request = { sessionId, model: high, inputTokens: 1000, cachedInputTokens: 0, maxOutputTokens: 32_000 }
  const tokens = { input: 1000, output: 2000, cacheRead: 0, cacheWrite: 0 }
  const use = { sessionId, requestId: 'one', apiMessageId: 'msg_1', requestedModel: high, servedModel: high, tokens }
  expect(await house.coordinator.gatewayDecisions.authorize({ ...request, requestId: 'one' }, never)).toEqual({
    type: 'go',
  })
  const booked = house.coordinator.gatewayDecisions.settle(use)
  await expect.poll(() => failures).toBe(1)
  // $0.033 of $0.04 is spent, and nobody can see it yet.
  const next = await house.coordinator.gatewayDecisions.authorize({ ...request, requestId: 'two' }, never)
  expect(next).toMatchObject({ type: 'refuse', message: expect.stringContaining('$0.03 of $0.04') })
  await booked
})

it('gives the warning of a budget once, by the first session that can write it', async () => {
  const real = createMemoryStore({ clock: { now: () => new Date() }, ids: randomIds })
  let failures = 1
  const store: EventStore = {
    ...real,
    async append(...written) {
      const isWarning = written[2].some(({ type }) => type === 'BudgetWarning')
      if (isWarning && failures-- > 0) throw new Error('the log is out of reach')
      return real.append(...written)
    },
  }
  const house = await openTestHouse({ backend: createScriptedBackend({ script: [] }), store })
  await house.sessions.createBudget({ scope: 'all', period: 'total', limit: 0.04 }, 'root')
  const tokens = { input: 1000, output: 2000, cacheRead: 0, cacheWrite: 0 }
  const warned: number[] = []
  // $0.033 each: four fifths are passed with the first.
  for (const requestId of ['one', 'two', 'three']) {
    const { sessionId } = await house.sessions.create({ agent: 'tester' }, 'ana')
    const use = { sessionId, requestId, apiMessageId: requestId, requestedModel: high, servedModel: high, tokens }
    await house.coordinator.gatewayDecisions.settle(use)
    warned.push(only(await house.log(sessionId), 'BudgetWarning').length)
  }
  expect(warned).toEqual([0, 1, 0])
})

describe('without a gateway', () => {
  it('books what the backend reports with units and savings, and stops the turn when a budget is used up', async () => {
    const house = await openTestHouse({
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
    await house.sessions.createBudget({ scope: 'user', subject: '*', period: 'day', limit: 0.3 }, 'root')
    const sessionId = await start(house)
    await house.until(sessionId, 'stopped_budget')
    const log = await house.log(sessionId)
    expect(only(log, 'UsageRecorded')[0]?.data).toMatchObject({ units: 303_000, source: 'backend' })
    expect(only(log, 'AgentSessionBudgetExceeded')[0]?.data.budget).toBe('user ana per day')
  })
})

describe('automatic selection', () => {
  it('tells what it chose for each turn, counts what it saved, and lets a person choose instead', async () => {
    const house = await houseOf([{ model: low, output: 1000 }])
    const sessionId = (await house.sessions.create({ agent: 'tester', model: 'auto', message: 'hello' }, 'ana'))
      .sessionId
    await house.until(sessionId, 'idle')
    await house.sessions.send(sessionId, { content: 'Fix the build in src/index.ts' }, 'ana')
    await expect.poll(async () => (await stateOf(house, sessionId)).numTurns, { timeout: 60_000 }).toBe(2)
    const log = await house.log(sessionId)
    expect(only(log, 'ModelChosen').map(({ data }) => [data.model, data.rule])).toEqual([
      [low, 'short-question'],
      [high, 'default'],
    ])
    expect(only(log, 'TurnStarted').map(({ data }) => data.model)).toEqual([low, high])
    expect((await stateOf(house, sessionId)).model).toBe('auto')
    // 2 × (1000 in, 1000 out): $0.006 each on low, $0.018 on high.
    const { total } = await house.sessions.usage({ by: 'model' })
    expect(total).toMatchObject({ costUsd: expect.closeTo(0.012), savedUsd: expect.closeTo(0.024), units: 4000 })
  })
})

it('thinks about it on high after two failed attempts, for that turn', async () => {
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
  const house = await openTestHouse({ backend })
  const { sessionId } = await house.sessions.create({ agent: 'tester', model: 'auto', message: 'hello' }, 'ana')
  await house.until(sessionId, 'failed')
  for (const turns of [2, 3]) {
    await house.sessions.send(sessionId, { content: 'hello' }, 'ana')
    await expect.poll(async () => only(await house.log(sessionId), 'TurnEnded').length, { timeout: 60_000 }).toBe(turns)
  }
  await house.until(sessionId, 'idle')
  expect(only(await house.log(sessionId), 'ModelChosen').map(({ data }) => [data.model, data.rule])).toEqual([
    [low, 'short-question'],
    [low, 'short-question'],
    [high, 'failed-attempts'],
  ])
  expect(thinking).toEqual([{ budgetTokens: 10_000 }, null])
})

it('tells when what the backend reports and what was booked differ, and adds neither to the other', async () => {
  const house = await openTestHouse({
    backend: backendOf(async function* () {
      yield draft('TurnEnded', { ...completedTurn.data, reportedCostUsd: 0.5 })
    }),
  })
  const sessionId = await start(house)
  await house.until(sessionId, 'idle')
  const drifted = only(await house.log(sessionId), 'CostDrifted')
  expect(drifted.map(({ data }) => data)).toEqual([{ reportedUsd: 0.5, bookedUsd: 0 }])
  expect((await stateOf(house, sessionId)).costUsd).toBe(0)
})

describe('an answer with counts that cannot be', () => {
  it.each([-100_000, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])(
    'is booked as an estimate and gives no money back (%d)',
    async (output) => {
      const house = await houseOf([costly, { model: high, output }, costly])
      const sessionId = await start(house)
      await house.until(sessionId, 'idle')
      const booked = only(await house.log(sessionId), 'UsageRecorded').map(({ data }) => data)
      expect(booked.map(({ tokens }) => tokens.isOutputEstimated ?? false)).toEqual([false, true, false])
      for (const { costUsd } of booked) expect(costUsd).toBeGreaterThan(0)
      expect((await stateOf(house, sessionId)).costUsd).toBeCloseTo(0.069)
    },
  )
})
