// Watches running turns. At most two ticks count at a time, so that a machine that slept, or a stopped process, does
// not make turns look stuck.
import { openAsks, type SessionState } from '@quarterdeck/protocol'
import type { SessionWithProcess } from './session-with-process.ts'

type WatchedSession = Pick<SessionWithProcess, 'writer' | 'phase' | 'pause'>

export function createTurnWatch({ everyMs, stuckAfterMs }: { everyMs: number; stuckAfterMs: number }) {
  let lastCheck = performance.now()

  function watch({ writer, phase, pause }: WatchedSession, passedMs: number): void {
    const turn = phase.watchedTurn()
    if (turn === null) return
    const isBusy = isTurnWorking(turn.requests, writer.state())
    const paused = pause.state()
    const waitedMs = paused === 'waiting' && !isBusy ? turn.waitedMs + passedMs : 0
    const quietMs = paused === 'off' && !isBusy ? turn.quietMs + passedMs : 0
    phase.countIdle({ quietMs, waitedMs })
    if (quietMs >= stuckAfterMs) phase.stopStuck()
  }

  return {
    check(sessions: readonly WatchedSession[]): void {
      const now = performance.now()
      const passedMs = Math.min(now - lastCheck, 2 * everyMs)
      lastCheck = now
      for (const running of sessions) watch(running, passedMs)
    },
  }
}

type TurnActivity = Pick<SessionState, 'openTools' | 'approvals' | 'questions' | 'clientCalls'>

/**
 * False if the turn only waits for answers. A model request counts as work, and so does a tool, however long it runs. A
 * tool that waits for an answer does not count, and neither does the subagent it runs in.
 */
export function isTurnWorking(requests: ReadonlySet<string>, { openTools, ...asked }: TurnActivity): boolean {
  if (requests.size > 0) return true
  const waiting = new Set<string>()
  const asks = openAsks(asked).map(({ request }) => request)
  for (const { toolUseId, agent } of asks) {
    for (const id of [toolUseId, ...(agent ?? [])]) if (id !== null) waiting.add(id)
  }
  // An MCP server asks in the middle of a call and does not say which one.
  const isServerAsking = asks.some(({ toolUseId }) => toolUseId === null)
  for (const { toolUseId, toolName, agent } of isServerAsking ? openTools : []) {
    if (toolName.startsWith('mcp__')) for (const id of [toolUseId, ...(agent ?? [])]) waiting.add(id)
  }
  return openTools.some(({ toolUseId }) => !waiting.has(toolUseId))
}
