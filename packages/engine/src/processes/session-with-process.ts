// What processes/ needs of a session. RunningSession in sessions/state implements it.
import type { HibernateSession, SessionId, SessionState } from '@quarterdeck/protocol'
import type { AgentProcess } from './agent-process.ts'

/** How long nothing has happened in the running turn, and how long it has only waited for an answer. */
export interface IdleTimes {
  readonly quietMs: number
  readonly waitedMs: number
}

/** The phase of the session, as the process manager reads it. */
export interface ObservedPhase {
  /** No turn loop runs, and no other work that excludes one. */
  isResting(): boolean
  untilRest(): Promise<void>
  /** A turn has a slot. */
  hasTurn(): boolean
  /** The running turn, unless it has been stopped as stuck. */
  watchedTurn(): (IdleTimes & { readonly requests: ReadonlySet<string> }) | null
  countIdle(times: IdleTimes): void
  /** Ends the running turn as stuck. */
  stopStuck(): void
  isDetaching(): boolean
  /** The engine ends the turn, not a person: open asks stay open. */
  detach(): void
  reattach(): void
}

export interface SessionWithProcess {
  readonly writer: {
    readonly sessionId: SessionId
    state(): SessionState
    apply(command: HibernateSession): Promise<unknown>
  }
  readonly process: AgentProcess
  readonly phase: ObservedPhase
  readonly pause: { state(): 'off' | 'waiting' | 'returning' }
}

/** The sessions that this server keeps in memory. */
export interface RetainedSessions<Session extends SessionWithProcess> {
  /** Keeps a session in memory until `release`. */
  keep(running: Session): void
  release(running: Session): void
  retained(): readonly Session[]
}
