import type { SessionState } from '@quarterdeck/protocol'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RunningSession } from '../sessions/state/running-session.ts'
import { createTurnWatch } from './turn-watch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const atRest = { openTools: [], approvals: [], questions: [], clientCalls: [] } as unknown as SessionState

/** Only what the watch looks at. */
function runningTurn(state: Partial<SessionState> = {}, pause: 'off' | 'waiting' | 'returning' = 'off') {
  const stopped: string[] = []
  const running = {
    writer: { state: () => ({ ...atRest, ...state }) },
    pause: { state: () => pause },
    requests: new Set<string>(),
    quietMs: 0,
    waitedMs: 0,
    stopStuck: () => void stopped.push('stuck'),
  } as unknown as RunningSession
  return { running, stopped }
}

function checkAfter(running: RunningSession, ...stepsMs: readonly number[]): void {
  const watch = createTurnWatch({ everyMs: 1000, stuckAfterMs: 5000 })
  for (const ms of stepsMs) {
    vi.advanceTimersByTime(ms)
    watch.check([running])
  }
}

it('stops a turn in which nothing happens', () => {
  const { running, stopped } = runningTurn()
  checkAfter(running, 1000, 1000, 1000, 1000)
  expect(stopped).toEqual([])
  checkAfter(running, 1000)
  expect(stopped).toEqual(['stuck'])
})

it('takes a machine that slept for hours, or a clock that was set, for no more than a moment', () => {
  const { running, stopped } = runningTurn()
  checkAfter(running, 3 * 3_600_000)
  vi.setSystemTime(new Date('1990-01-01'))
  checkAfter(running, 1000)
  vi.setSystemTime(new Date('2090-01-01'))
  checkAfter(running, 1000)
  expect(stopped).toEqual([])
  expect(running.quietMs).toBeLessThanOrEqual(4000)
})

it('leaves a turn alone while the model works on it or a tool runs', () => {
  const asked = runningTurn()
  asked.running.requests.add('request')
  checkAfter(asked.running, ...Array<number>(10).fill(1000))
  const tooling = runningTurn({ openTools: [{ toolUseId: 't1', toolName: 'Bash', agent: null }] })
  checkAfter(tooling.running, ...Array<number>(10).fill(1000))
  expect([...asked.stopped, ...tooling.stopped]).toEqual([])
})

it('counts the time of a turn that does nothing but wait for a person, and not while another of its tools runs', () => {
  const ask = { toolUseId: 'inner', agent: ['outer'] } as unknown as SessionState['approvals'][number]
  const waitingTools = ['inner', 'outer'].map((toolUseId) => ({ toolUseId, toolName: 'Bash', agent: null }))
  const waiting = runningTurn({ approvals: [ask], openTools: waitingTools }, 'waiting')
  checkAfter(waiting.running, 1000, 1000)
  expect(waiting.running.waitedMs).toBe(2000)
  const other = { toolUseId: 'other', toolName: 'Bash', agent: null }
  const working = runningTurn({ approvals: [ask], openTools: [...waitingTools, other] }, 'waiting')
  checkAfter(working.running, 1000, 1000)
  expect(working.running.waitedMs).toBe(0)
  expect([...waiting.stopped, ...working.stopped]).toEqual([])
})
