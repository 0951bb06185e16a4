import { describe, expect, it, onTestFinished } from 'vitest'
import { startWorkTimer } from '../../async/work-timer.ts'
import { createSessionPhase, type SessionPhase } from './session-phase.ts'

type Type = ReturnType<SessionPhase['type']>

const unopened = { openedWith: undefined, isHandedOver: false }
const limits = { maxTurns: 1, maxBudgetUsd: 1, maxDurationMs: 1 }

/** All that other code reads of a phase. Its parts are compared by identity. */
const viewOf = (phase: SessionPhase) =>
  Object.entries({
    type: phase.type(),
    ending: phase.type() === 'ending' ? phase.endingTurn() : null,
    watched: phase.watchedTurn(),
    ...phase.pausedTurn(),
    signal: phase.signal(),
    isAborted: phase.signal()?.aborted,
    requests: phase.requests(),
  })

/** A session in the phase, with the recorded calls. */
function given(type: Type) {
  const phase = createSessionPhase()
  const called: string[] = []
  const slot = { pause: () => undefined, resume: async () => undefined, leave: () => void called.push('leave') }
  const timer = startWorkTimer(60_000, () => undefined)
  onTestFinished(timer.stop)
  const moves: readonly (() => unknown)[] = [
    phase.queue,
    () => phase.beginTurn(slot),
    () => phase.runTurn({ timer, onStuck: () => void called.push('stuck') }),
    () => phase.stopTurn({ openedWith: limits, isHandedOver: true }),
  ]
  const order: readonly Type[] = ['resting', 'queued', 'starting', 'running', 'ending']
  if (type === 'occupied') phase.occupy()
  else for (const move of moves.slice(0, order.indexOf(type))) move()
  expect(phase.type()).toBe(type)
  return { phase, called, slot, timer }
}

const everyType: readonly Type[] = ['resting', 'occupied', 'queued', 'starting', 'running', 'ending']

type Given = ReturnType<typeof given>

const transitions: Readonly<Record<string, { from: readonly Type[]; to: Type; move: (given: Given) => unknown }>> = {
  occupy: { from: ['resting'], to: 'occupied', move: ({ phase }) => phase.occupy() },
  queue: { from: ['resting'], to: 'queued', move: ({ phase }) => phase.queue() },
  beginTurn: { from: ['queued'], to: 'starting', move: ({ phase, slot }) => phase.beginTurn(slot) },
  runTurn: {
    from: ['starting'],
    to: 'running',
    move: ({ phase, timer }) => phase.runTurn({ timer, onStuck: () => undefined }),
  },
  stopTurn: { from: ['running'], to: 'ending', move: ({ phase }) => phase.stopTurn(unopened) },
  markCrashed: { from: ['ending'], to: 'ending', move: ({ phase }) => phase.markCrashed() },
  endTurn: { from: ['starting', 'ending'], to: 'queued', move: ({ phase }) => phase.endTurn() },
}

describe.each(Object.entries(transitions))('%s', (_, { from, to, move }) => {
  it.each(everyType.filter((type) => from.includes(type)))(`leads from %s to ${to}`, (type) => {
    const session = given(type)
    move(session)
    expect(session.phase.type()).toBe(to)
  })

  it.each(everyType.filter((type) => !from.includes(type)))('throws in %s, and changes nothing', (type) => {
    const session = given(type)
    const before = viewOf(session.phase)
    expect(() => move(session)).toThrow(`the session is ${type}`)
    for (const [index, [part, value]] of viewOf(session.phase).entries()) expect(value, part).toBe(before[index]?.[1])
    expect(session.called).toEqual([])
  })
})

it('resolves waits for rest when the work has ended, and not before', async () => {
  const phase = createSessionPhase()
  await phase.untilRest()
  const rest = phase.queue()
  let isOver = false
  const waiting = phase.untilRest().then(() => {
    isOver = true
  })
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect([isOver, phase.isResting()]).toEqual([false, false])
  rest()
  await waiting
  expect([isOver, phase.isResting()]).toEqual([true, true])
  expect(rest).toThrow('cannot rest: the session is resting')
})

it('is brought to rest only by the work that runs now', () => {
  const phase = createSessionPhase()
  const rest = phase.queue()
  rest()
  phase.queue()
  expect(rest).toThrow('cannot rest: the session is queued')
})

it('does not rest while a turn has a slot', () => {
  const phase = createSessionPhase()
  const rest = phase.queue()
  phase.beginTurn({ pause: () => undefined, resume: async () => undefined, leave: () => undefined })
  expect(rest).toThrow('cannot rest: the session is starting')
})

it('frees the slot of a turn once, at its end', () => {
  const { phase, called } = given('ending')
  expect(called).toEqual([])
  phase.endTurn()
  expect(called).toEqual(['leave'])
  expect(phase.hasTurn()).toBe(false)
})

it.each(['starting', 'running', 'ending'] as const)('aborts the turn that is %s', (type) => {
  const { phase } = given(type)
  expect(phase.isStopping()).toBe(false)
  phase.abortTurn()
  expect([phase.signal()?.aborted, phase.isStopping()]).toEqual([true, true])
})

it('aborts no later turn', () => {
  const { phase, slot } = given('starting')
  phase.abortTurn()
  phase.endTurn()
  phase.abortTurn()
  expect(phase.signal()).toBeNull()
  expect(phase.beginTurn(slot).signal.aborted).toBe(false)
})

it('records a refused key for the running turn only, and stops the turn', () => {
  const { phase } = given('running')
  phase.refuseKey(401)
  expect(phase.signal()?.aborted).toBe(true)
  phase.stopTurn({ openedWith: limits, isHandedOver: true })
  expect(phase.endingTurn()).toMatchObject({ refusedKey: 401, openedWith: limits, hasCrashed: false })
  const early = given('starting').phase
  early.refuseKey(401)
  expect(early.signal()?.aborted).toBe(true)
  expect(given('ending').phase.endingTurn().refusedKey).toBeNull()
  expect(() => given('running').phase.endingTurn()).toThrow('the session is running')
})

it('counts model requests of the running turn only', () => {
  const { phase } = given('starting')
  phase.beginRequest('early')
  expect(phase.requests().size).toBe(0)
  const turn = given('running').phase
  turn.beginRequest('one')
  turn.beginRequest('two')
  turn.endRequest('one')
  turn.endRequest('never begun')
  expect([...turn.requests()]).toEqual(['two'])
  turn.stopTurn(unopened)
  expect(turn.requests().size).toBe(0)
})

it('counts idle times until something happens, and stops a stuck turn once', () => {
  const { phase, called } = given('running')
  phase.countIdle({ quietMs: 10, waitedMs: 20 })
  expect(phase.watchedTurn()).toMatchObject({ quietMs: 10, waitedMs: 20 })
  phase.noteActivity()
  expect(phase.watchedTurn()).toMatchObject({ quietMs: 0, waitedMs: 0 })
  phase.stopStuck()
  phase.stopStuck()
  expect(called).toEqual(['stuck'])
  expect(phase.watchedTurn()).toBeNull()
})

it('keeps the asks of a turn whose process has died, and only until its end', () => {
  const { phase } = given('ending')
  expect(phase.keepsAsks()).toBe(false)
  phase.markCrashed()
  expect(phase.keepsAsks()).toBe(true)
  phase.endTurn()
  expect(phase.keepsAsks()).toBe(false)
})

it('detaches from a turn, keeps its asks, and attaches again', () => {
  const { phase } = given('running')
  phase.detach()
  expect([phase.signal()?.aborted, phase.isDetaching(), phase.keepsAsks(), phase.isLost()]).toEqual([
    true,
    true,
    true,
    false,
  ])
  phase.reattach()
  expect([phase.isDetaching(), phase.keepsAsks()]).toEqual([false, false])
})

it('never gets back a session that another server has taken', () => {
  const { phase } = given('running')
  phase.lose()
  expect(phase.signal()?.aborted).toBe(true)
  phase.detach()
  phase.reattach()
  expect([phase.isLost(), phase.isDetaching()]).toEqual([true, true])
})
