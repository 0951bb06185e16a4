// Shares one connection: answers and the events of many sessions get sending slots in order when its capacity is used up.
import { createSerialQueue, sleep } from '@quarterdeck/protocol'
import type { RpcConnection } from './rpc-host.ts'

export type SharedConnection = ReturnType<typeof shareConnection>

/** A feed with a slot reads from the log first; after this time the next one continues. */
const longestSlotMs = 50

export function shareConnection(connection: RpcConnection) {
  const runInOrder = createSerialQueue()
  let hasCapacity = true

  /** Sends at once if there is capacity. False: no more before `waitForSlot` resolves. */
  function send(text: string): boolean {
    hasCapacity = connection.send(text)
    return hasCapacity
  }

  async function drained(): Promise<void> {
    await connection.drained()
    hasCapacity = true
  }

  /** One after another: each waits for capacity first. */
  const inOrder = (act: () => Promise<void>): Promise<void> => runInOrder(() => drained().then(act))

  return {
    send,
    /** False from the first refusal until the next slot. */
    hasCapacity: (): boolean => hasCapacity,
    /** Sends after everything that waits, as soon as there is capacity. */
    post: (text: string): Promise<void> =>
      inOrder(async () => {
        send(text)
      }),
    /**
     * Resolves when there is capacity and everything that waited before was sent. The slot ends with `done`, which
     * must never reject.
     */
    waitForSlot: (done: Promise<void>): Promise<void> =>
      new Promise((resolve) => {
        // Never rejects, as neither `drained` nor `done` does.
        void inOrder(async () => {
          resolve()
          const given = new AbortController()
          await Promise.race([done, sleep(longestSlotMs, given.signal, { ref: false })])
          given.abort()
        })
      }),
  }
}
