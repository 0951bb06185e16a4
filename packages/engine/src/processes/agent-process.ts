// The agent process of one session, from its opening to its end. Only this file changes its phase.
import type { Limits } from '@quarterdeck/protocol'
import type { AgentSession } from '../backends/backend.ts'
import type { HostToolbox } from '../ports/host-toolbox.ts'

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

export type ProcessPhase =
  | { readonly type: 'none' }
  | { readonly type: 'opening'; readonly opened: Promise<OpenBackend> }
  /** `isStarted`: the process has been started and is ready, or nearly so. */
  | { readonly type: 'open'; readonly backend: OpenBackend; readonly isStarted: boolean }
  /** The next process is opened after this one has ended. */
  | { readonly type: 'closing'; readonly closed: Promise<void> }

export type AgentProcess = ReturnType<typeof createAgentProcess>

const none = { type: 'none' } as const

export function createAgentProcess() {
  let phase: ProcessPhase = none
  let users = 0
  let restingSince = performance.now()

  const illegal = (transition: string): Error =>
    new Error(`cannot ${transition} the process: it is in phase ${phase.type}`)

  return {
    phase: () => phase,
    /** The open process. */
    backend: (): OpenBackend | null => (phase.type === 'open' ? phase.backend : null),
    isStarted: () => phase.type === 'open' && phase.isStarted,
    /** No caller uses the process outside a turn. A process in use is not ended. */
    isUnused: () => users === 0,
    /** When the last turn ended or the process was last used, by the process clock. */
    restingSince: () => restingSince,

    /** `opened` calls `becomeOpen`, or `failOpening` before it rejects. */
    beginOpening(opened: Promise<OpenBackend>): void {
      if (phase.type === 'opening' || phase.type === 'open') throw illegal('open')
      phase = { type: 'opening', opened }
    },
    /** A process that is to end as soon as it is open stays `closing`. */
    becomeOpen(backend: OpenBackend, { isStarted }: { readonly isStarted: boolean }): void {
      if (phase.type === 'none' || phase.type === 'open') throw illegal('finish opening')
      if (phase.type === 'opening') phase = { type: 'open', backend, isStarted }
    },
    failOpening(): void {
      if (phase.type === 'none' || phase.type === 'open') throw illegal('give up')
      if (phase.type === 'opening') phase = none
    },
    /** False if it was started before, or is no longer the open process. */
    markStarted(backend: OpenBackend): boolean {
      if (phase.type !== 'open' || phase.backend !== backend || phase.isStarted) return false
      phase = { ...phase, isStarted: true }
      return true
    },
    /**
     * Waits until an opening or closing process is done, then calls `end`. Otherwise an opening process would never be
     * ended.
     */
    close(end: (backend: OpenBackend | null) => Promise<void>): Promise<void> {
      const closed = backendToEnd(phase)
        .then(end)
        .finally(() => {
          if (phase.type === 'closing' && phase.closed === closed) phase = none
        })
      phase = { type: 'closing', closed }
      return closed
    },
    /** Counts as a user until the returned function is called. */
    retain(): () => void {
      users += 1
      return () => {
        users -= 1
        restingSince = performance.now()
      }
    },
    /** It was used until now. */
    touch(): void {
      restingSince = performance.now()
    },
  }
}

async function backendToEnd(phase: ProcessPhase): Promise<OpenBackend | null> {
  switch (phase.type) {
    case 'none':
      return null
    case 'opening':
      return phase.opened.catch(() => null)
    case 'open':
      return phase.backend
    case 'closing':
      await phase.closed
      return null
  }
}
