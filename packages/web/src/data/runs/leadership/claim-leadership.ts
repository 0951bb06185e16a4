// One tab runs the tools of an analysis. The browser's own locks say which: one that closes or dies gives it on.
import { createStore, type Store } from '../../../stores/primitives/store.ts'

export interface Leadership {
  readonly isLeader: Store<boolean>
  release(): void
  /** Resolves when it was released, and what led has ended. */
  readonly ended: Promise<void>
}

export interface LeadershipOptions {
  readonly name: string
  /** Missing on pages that are not served securely: then every tab leads, and the server takes the first result. */
  readonly locks: Pick<LockManager, 'request'> | undefined
  /** The lock is held until what it returns has ended as well. */
  readonly lead: (until: AbortSignal) => Promise<void>
}

export function claimLeadership({ name, locks, lead }: LeadershipOptions): Leadership {
  const isLeader = createStore(false)
  const released = new AbortController()

  async function hold(): Promise<void> {
    isLeader.set(true)
    await lead(released.signal)
    await untilAborted(released.signal)
    isLeader.set(false)
  }

  // The signal only ends the waiting for it: released before it was there, it never comes.
  const request = async () => locks?.request(name, { signal: released.signal }, hold) ?? hold()
  const ended = request().catch(() => undefined)
  return { isLeader, ended, release: () => released.abort() }
}

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
