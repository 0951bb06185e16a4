// One tab leads an analysis and holds a Web Lock, which the browser passes on when the tab closes or crashes.
import { untilAborted } from '@quarterdeck/protocol'
import { createStore } from '../../../stores/primitives/store.ts'

export interface LeadershipOptions {
  readonly name: string
  /** Without Web Locks (insecure pages) every tab leads, and the server accepts the first result. */
  readonly locks: Pick<LockManager, 'request'> | undefined
  /** The lock is held until the returned promise settles. */
  readonly lead: (until: AbortSignal) => Promise<void>
}

export function claimLeadership({ name, locks, lead }: LeadershipOptions) {
  const isLeader = createStore(false)
  const released = new AbortController()

  async function hold(): Promise<void> {
    isLeader.set(true)
    await lead(released.signal)
    await untilAborted(released.signal)
    isLeader.set(false)
  }

  // The signal only aborts the wait: if released before, the lock is never acquired.
  const request = async () => locks?.request(name, { signal: released.signal }, hold) ?? hold()
  /** Resolves when the lock is released and the lead has ended. */
  const ended = request().catch(() => undefined)
  return { isLeader, ended, release: () => released.abort() }
}
