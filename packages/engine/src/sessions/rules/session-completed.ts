import { draft, type EventDraft, type SessionState } from '@quarterdeck/protocol'

/** The totals of a session when it closes. */
export function completed(state: SessionState): EventDraft<'AgentSessionCompleted'> {
  return draft('AgentSessionCompleted', {
    totalCostUsd: state.hasUnpricedUsage ? null : state.costUsd,
    modelUsage: state.modelUsage,
    numTurns: state.numTurns,
    durationMs: state.durationMs,
    durationApiMs: state.durationApiMs,
    result: state.lastResult,
    permissionDenials: state.permissionDenials,
  })
}
