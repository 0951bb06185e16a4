import type { SessionState } from '@quarterdeck/protocol'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startWorkTimer } from '../async/work-timer.ts'
import { createSessionPhase } from '../sessions/state/session-phase.ts'
import type { SessionWithProcess } from './session-with-process.ts'
import { createTurnWatch, isTurnWorking } from './turn-watch.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const atRest = { openTools: [], approvals: [], questions: [], clientCalls: [] } as unknown as SessionState

/** Only the fields that the watch reads. */
function runningTurn(state: Partial<SessionState> = {}, pause: 'off' | 'waiting' | 'returning' = 'off') {
  const stopped: string[] = []
  const phase = createSessionPhase()
  phase.queue()
  phase.beginTurn({ pause: () => undefined, resume: async () => undefined, leave: () => undefined })
  const timer = startWorkTimer(60_000, () => undefined)
  onTestFinished(timer.stop)
  phase.runTurn({ timer, onStuck: () => void stopped.push('stuck') })
  const running = {
    writer: { state: () => ({ ...atRest, ...state }) },
    pause: { state: () => pause },
    phase,
  } as unknown as SessionWithProcess
  return { running, phase, stopped }
}

function checkAfter(running: SessionWithProcess, ...stepsMs: readonly number[]): void {
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

it("counts a machine's sleep or a clock change as no more than two ticks", () => {
  const { running, stopped } = runningTurn()
  checkAfter(running, 3 * 3_600_000)
  vi.setSystemTime(new Date('1990-01-01'))
  checkAfter(running, 1000)
  vi.setSystemTime(new Date('2090-01-01'))
  checkAfter(running, 1000)
  expect(stopped).toEqual([])
  expect(running.phase.watchedTurn()?.quietMs).toBeLessThanOrEqual(4000)
})

it('ignores a turn while the model works on it or a tool runs', () => {
  const asked = runningTurn()
  asked.phase.beginRequest('request')
  checkAfter(asked.running, ...Array<number>(10).fill(1000))
  const tooling = runningTurn({ openTools: [{ toolUseId: 't1', toolName: 'Bash', agent: null }] })
  checkAfter(tooling.running, ...Array<number>(10).fill(1000))
  expect([...asked.stopped, ...tooling.stopped]).toEqual([])
})

it('measures how long a turn only waits for a person, and not while another of its tools runs', () => {
  const ask = { toolUseId: 'inner', agent: ['outer'] } as unknown as SessionState['approvals'][number]
  const waitingTools = ['inner', 'outer'].map((toolUseId) => ({ toolUseId, toolName: 'Bash', agent: null }))
  const waiting = runningTurn({ approvals: [ask], openTools: waitingTools }, 'waiting')
  checkAfter(waiting.running, 1000, 1000)
  expect(waiting.phase.watchedTurn()?.waitedMs).toBe(2000)
  const other = { toolUseId: 'other', toolName: 'Bash', agent: null }
  const working = runningTurn({ approvals: [ask], openTools: [...waitingTools, other] }, 'waiting')
  checkAfter(working.running, 1000, 1000)
  expect(working.phase.watchedTurn()?.waitedMs).toBe(0)
  expect([...waiting.stopped, ...working.stopped]).toEqual([])
})

describe('isTurnWorking', () => {
  const none: ReadonlySet<string> = new Set()
  const tool = (toolUseId: string, toolName = 'Bash') => ({ toolUseId, toolName, agent: null })
  const ask = (toolUseId: string | null, agent: readonly string[] | null = null) =>
    ({ toolUseId, agent }) as unknown as SessionState['questions'][number] // only the fields that are read

  const isWorking = (openTools: SessionState['openTools'], ...questions: SessionState['questions']) =>
    isTurnWorking(none, { openTools, questions, approvals: [], clientCalls: [] })

  it('is true with a request in flight or a tool that is not waiting', () => {
    const idle = { openTools: [], questions: [], approvals: [], clientCalls: [] }
    expect(isTurnWorking(new Set(['request']), idle)).toBe(true)
    expect(isTurnWorking(none, idle)).toBe(false)
    expect(isWorking([tool('one')])).toBe(true)
    expect(isWorking([tool('one')], ask('one'))).toBe(false)
    expect(isWorking([tool('one'), tool('two')], ask('one'))).toBe(true)
  })

  it('is false when the only subagent waits', () => {
    expect(isWorking([tool('outer', 'Agent')], ask('inner', ['outer']))).toBe(false)
    expect(isWorking([tool('outer', 'Agent'), tool('other', 'Agent')], ask('inner', ['outer']))).toBe(true)
  })

  it('is false when an MCP server asks in the middle of a call', () => {
    expect(isWorking([tool('one', 'mcp__tickets__open')], ask(null))).toBe(false)
    expect(isWorking([tool('one', 'mcp__tickets__open'), tool('two')], ask(null))).toBe(true)
  })
})
