import type { SessionStatus } from '@quarterdeck/protocol'
import type { RunState } from '../../domain/analysis.ts'
import type { AnalysisSummary } from '../../domain/data-services.ts'

const states = {
  running: 'running',
  waiting: 'waiting_user',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<RunState, SessionStatus>

/** The state of an analysis in a list. `led`: analyses that a tab runs now; `null` if unknown. */
export function analysisState(
  { id, lastState, lastAsk }: Pick<AnalysisSummary, 'id' | 'lastState' | 'lastAsk'>,
  led: ReadonlySet<string> | null,
): SessionStatus {
  if (lastState === null) return 'idle'
  if (lastState === 'waiting' && lastAsk === 'rows') return 'waiting_approval'
  // A run without a tab continues when it is opened.
  if (lastState === 'running' && led !== null && !led.has(id)) return 'waiting_client'
  return states[lastState]
}
