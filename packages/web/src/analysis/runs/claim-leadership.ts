// One tab runs the tools of an analysis. The browser's own locks say which: one that closes or dies gives it on.
import { createCell, type Store } from '../../state/cell.ts'

export interface Leadership {
  readonly isLeader: Store<boolean>
  release(): void
}

export interface LeadershipOptions {
  readonly name: string
  /** Missing on pages that are not served securely: then every tab leads, and the server takes the first result. */
  readonly locks: Pick<LockManager, 'request'> | undefined
  /** The lock is held until what it returns has ended as well. */
  readonly lead: (until: AbortSignal) => Promise<void>
}

export function claimLeadership({ name, locks, lead }: LeadershipOptions): Leadership {
  const isLeader = createCell(false)
  const released = new AbortController()

  async function hold(): Promise<void> {
    isLeader.set(true)
    await lead(released.signal)
    await untilAborted(released.signal)
    isLeader.set(false)
  }

  if (locks === undefined) void hold()
  else void locks.request(name, { signal: released.signal }, hold).catch(() => undefined) // released before it was there
  return { isLeader, release: () => released.abort() }
}

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
