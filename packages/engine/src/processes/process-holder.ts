// What processes/ needs of a session. RunningSession in sessions/state implements it.
import type { HibernateSession, Limits, SessionId, SessionState } from '@quarterdeck/protocol'
import type { AgentSession } from '../backends/backend.ts'
import type { HostToolbox } from '../ports/host-toolbox.ts'
import type { TurnSlot } from './turn-slot.ts'

/** A session's side of its agent process. */
export interface OpenBackend {
  readonly session: AgentSession
  /** Frees the slots of subagents that have ended. */
  readonly subagents: { free(toolUseId: string): void; freeAll(): void }
  readonly isMetered: boolean
  /** The model that the process uses now. */
  readonly model: () => string
  /** The current tools that the engine runs for it. */
  readonly hostTools: HostToolbox['list']
  /** Notifies the SessionEnd hooks after the process has ended. */
  readonly notifyEnded: () => Promise<void>
  /** The limits that the process was started with. They cannot change while it runs. */
  readonly limits: Limits
  /** The longest working time of a turn; `null` for the session's own limit. */
  readonly turnTimeoutMs: number | null
}

export interface ProcessHolder {
  readonly writer: {
    readonly sessionId: SessionId
    state(): SessionState
    apply(command: HibernateSession): Promise<unknown>
  }
  /** The agent's process, retained between turns. */
  backend: OpenBackend | null
  /** Set while the process is being opened. */
  opening: Promise<OpenBackend> | null
  /** Set while the previous process ends. The next one starts after that. */
  leaving: Promise<void> | null
  /** The process has been started and is ready, or nearly so. */
  isStarted: boolean
  /** How many callers use the process outside of a turn. It is not ended while there are any. */
  users: number
  /** Aborts the running turn. */
  abort: AbortController | null
  /** The running turn's slot. */
  turnSlot: TurnSlot | null
  readonly pause: { state(): 'off' | 'waiting' | 'returning' }
  /** Model requests in flight. */
  readonly requests: ReadonlySet<string>
  /** How long nothing has happened in the running turn. */
  quietMs: number
  /** How long the running turn has only waited for an answer. */
  waitedMs: number
  /** Ends the running turn as stuck. */
  stopStuck: (() => void) | null
  /** The loop that takes queued messages; `null` while the session rests. */
  working: Promise<void> | null
  /** When the last turn ended or the process was last used, by the process clock. */
  restingSince: number
  /** The engine ends the process, not a person: open asks stay open. */
  isDetaching: boolean
}

/** The sessions that this server holds. */
export interface HeldProcesses<Session extends ProcessHolder> {
  /** Keeps a session in memory until `release`. */
  keep(running: Session): void
  release(running: Session): void
  retained(): readonly Session[]
}
