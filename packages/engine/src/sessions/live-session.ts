// A session this process works on: its writer, its stream and, while it has one, its agent process.
import type { SessionState } from '@quarterdeck/protocol'
import type { AgentSession } from '../backends/backend.ts'
import { type ApprovalWaiters, createApprovalWaiters } from './approval-waiters.ts'
import { createSessionWriter, type SessionWriter, type SessionWriterOptions } from './session-writer.ts'
import type { SubagentBound } from './subagent-bound.ts'
import { createTokenStream, type TokenStream } from './token-stream.ts'
import type { WorkTimer } from './work-timer.ts'

export interface LiveSession {
  readonly writer: SessionWriter
  readonly tokens: TokenStream
  readonly waiters: ApprovalWaiters
  /** The agent's process, kept between turns. */
  backend: { readonly session: AgentSession; readonly subagents: SubagentBound; readonly isMetered: boolean } | null
  /** Aborts the running turn. */
  abort: AbortController | null
  timer: WorkTimer | null
  /** The loop that takes queued messages; `null` while the session rests. */
  working: Promise<void> | null
  /** When the last turn ended, by the process clock. */
  restingSince: number
  /** The process is taken away by the engine, not by a person: what it asked stays open. */
  isDetaching: boolean
}

/** How long deltas are gathered before they are saved and shown. */
const tokenWindowMs = 25

export function createLiveSession(
  options: SessionWriterOptions & { readonly initial: SessionState | null },
): LiveSession {
  const { sessionId, store, bus } = options
  const live: LiveSession = {
    writer: createSessionWriter(options),
    tokens: createTokenStream({ sessionId, store, bus, windowMs: tokenWindowMs, redact: options.redactor.text }),
    waiters: createApprovalWaiters({ onWait: () => live.timer?.pause(), onAnswer: () => live.timer?.resume() }),
    backend: null,
    abort: null,
    timer: null,
    working: null,
    restingSince: 0,
    isDetaching: false,
  }
  return live
}
