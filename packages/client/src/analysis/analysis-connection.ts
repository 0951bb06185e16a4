// What an analysis is asked, followed and answered over.
import type { AnalysisEvent, AnalyzeBody, AnalyzeStarted, SessionId, ToolResultBody } from '@quarterdeck/protocol'
import type { Backoff } from '../http/backoff.ts'

export interface AnalysisConnection {
  start(body: AnalyzeBody, options: StartOptions): Promise<AnalyzeStarted>
  open(streamUrl: string, lastEventId: string | null, signal: AbortSignal): Promise<Response>
  giveBack(body: ToolResultBody, toolToken: string, signal: AbortSignal): Promise<unknown>
  cancel(sessionId: SessionId): Promise<unknown>
}

interface StartOptions {
  readonly agent?: string
  readonly key?: string
  readonly signal?: AbortSignal
}

/** What following takes, whoever follows. */
export interface FollowedAnalysisOptions {
  /**
   * `cursor` is where a reader stands behind it, `null` where it may see it again. What it throws is what is rejected
   * with; whoever runs the tools cancels the analysis too.
   */
  readonly onEvent?: (event: AnalysisEvent, cursor: string | null) => void
  readonly backoff?: Backoff
  /** A connection that says nothing for so long is taken for dead. */
  readonly silenceMs?: number
}
