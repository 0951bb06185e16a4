// The requests that an analysis needs from its server.
import type { AnalysisEvent, AnalyzeBody, AnalyzeStarted, SessionId, ToolResultBody } from '@quarterdeck/protocol'
import type { Backoff } from '../http/backoff.ts'

export interface AnalysisConnection {
  start(body: AnalyzeBody, options: StartOptions): Promise<AnalyzeStarted>
  open(streamUrl: string, lastEventId: string | null, signal: AbortSignal): Promise<Response>
  returnResult(body: ToolResultBody, toolToken: string, signal: AbortSignal): Promise<unknown>
  cancel(sessionId: SessionId): Promise<unknown>
}

interface StartOptions {
  readonly agent?: string | undefined
  readonly key?: string | undefined
  readonly signal?: AbortSignal
}

/** Options of all functions that follow an analysis. */
export interface FollowedAnalysisOptions {
  /**
   * `cursor` resumes behind this event; it is `null` where the event may be sent again. If the listener throws, the
   * call rejects with that error, and the analysis is cancelled if this caller runs its tools.
   */
  readonly onEvent?: (event: AnalysisEvent, cursor: string | null) => void
  readonly backoff?: Backoff
  /** A connection without any bytes for this long is considered lost. */
  readonly silenceMs?: number
}
