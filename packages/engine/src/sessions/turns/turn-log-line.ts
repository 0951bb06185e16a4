import { modelLabel, type SessionEvent, type SessionState } from '@quarterdeck/protocol'

/** The fields of the one log line of each turn. */
export function turnLogLine(state: SessionState, events: readonly SessionEvent[]): Readonly<Record<string, unknown>> {
  const ended = events.find((event) => event.type === 'TurnEnded')
  if (ended === undefined) return { sessionId: state.sessionId, status: state.status }
  const { outcome, durationMs, result } = ended.data
  return {
    sessionId: state.sessionId,
    turnId: ended.turnId,
    agent: state.agentName,
    outcome,
    ...(result.errorReason === null ? {} : { reason: result.errorReason }),
    durationMs,
    turns: result.numTurns,
    model: modelLabel({ ...state, model: state.lastModel ?? state.model }),
    tools: [...new Set(result.toolCalls.map((call) => call.name))],
    toolCalls: result.toolCalls.length,
    sessionCostUsd: Number(state.costUsd.toFixed(6)),
    status: state.status,
  }
}
