import type { SessionState } from '@quarterdeck/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LiveSession } from '../sessions/live-session.ts'
import { createTurnWatch } from './turn-watch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const atRest = { openTools: [], approvals: [], questions: [], clientCalls: [] } as unknown as SessionState

/** Only what the watch looks at. */
function runningTurn(state: Partial<SessionState> = {}, pause: 'off' | 'waiting' | 'returning' = 'off') {
  const stopped: string[] = []
  const live = {
    writer: { state: () => ({ ...atRest, ...state }) },
    pause: { state: () => pause },
    requests: new Set<string>(),
    quietMs: 0,
    waitedMs: 0,
    stopStuck: () => void stopped.push('stuck'),
  } as unknown as LiveSession
  return { live, stopped }
}

function lookAfter(live: LiveSession, ...stepsMs: readonly number[]): void {
  const watch = createTurnWatch({ everyMs: 1000, stuckAfterMs: 5000 })
  for (const ms of stepsMs) {
    vi.advanceTimersByTime(ms)
    watch.look([live])
  }
}

it('stops a turn in which nothing happens', () => {
  const { live, stopped } = runningTurn()
  lookAfter(live, 1000, 1000, 1000, 1000)
  expect(stopped).toEqual([])
  lookAfter(live, 1000)
  expect(stopped).toEqual(['stuck'])
})

it('takes a machine that slept for hours, or a clock that was set, for no more than a moment', () => {
  const { live, stopped } = runningTurn()
  lookAfter(live, 3 * 3_600_000)
  vi.setSystemTime(new Date('1990-01-01'))
  lookAfter(live, 1000)
  vi.setSystemTime(new Date('2090-01-01'))
  lookAfter(live, 1000)
  expect(stopped).toEqual([])
  expect(live.quietMs).toBeLessThanOrEqual(4000)
})

it('leaves a turn alone while the model works on it or a tool runs', () => {
  const asked = runningTurn()
  asked.live.requests.add('request')
  lookAfter(asked.live, ...Array<number>(10).fill(1000))
  const tooling = runningTurn({ openTools: [{ toolUseId: 't1', toolName: 'Bash', agent: null }] })
  lookAfter(tooling.live, ...Array<number>(10).fill(1000))
  expect([...asked.stopped, ...tooling.stopped]).toEqual([])
})

it('counts the time of a turn that does nothing but wait for a person, and not while another of its tools runs', () => {
  const ask = { toolUseId: 'inner', agent: ['outer'] } as unknown as SessionState['approvals'][number]
  const waitingTools = ['inner', 'outer'].map((toolUseId) => ({ toolUseId, toolName: 'Bash', agent: null }))
  const waiting = runningTurn({ approvals: [ask], openTools: waitingTools }, 'waiting')
  lookAfter(waiting.live, 1000, 1000)
  expect(waiting.live.waitedMs).toBe(2000)
  const other = { toolUseId: 'other', toolName: 'Bash', agent: null }
  const working = runningTurn({ approvals: [ask], openTools: [...waitingTools, other] }, 'waiting')
  lookAfter(working.live, 1000, 1000)
  expect(working.live.waitedMs).toBe(0)
  expect([...waiting.stopped, ...working.stopped]).toEqual([])
})
