// Shares one connection: answers and the events of many sessions take turns when its capacity is used up.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcConnection } from './rpc-host.ts'

export type SharedConnection = ReturnType<typeof shareConnection>

/** A feed with its turn reads from the log first; after this time the next one continues. */
const longestTurnMs = 50

export function shareConnection(connection: RpcConnection) {
  let last: Promise<void> = Promise.resolve()
  let hasCapacity = true

  /** Sends at once if there is capacity. False: no more before `turn` resolves. */
  function send(text: string): boolean {
    hasCapacity = connection.send(text)
    return hasCapacity
  }

  async function drained(): Promise<void> {
    await connection.drained()
    hasCapacity = true
  }

  /** Runs one turn after another; a failure must not block the next. */
  function inTurn(act: () => Promise<void>): Promise<void> {
    const turn = last.then(drained).then(act)
    last = turn.catch(() => undefined)
    return turn
  }

  return {
    send,
    /** False from the first refusal until the next turn. */
    hasCapacity: (): boolean => hasCapacity,
    /** Sends after everything that waits, as soon as there is capacity. */
    post: (text: string): Promise<void> =>
      inTurn(async () => {
        send(text)
      }),
    /**
     * Resolves when there is capacity and everything that waited before had its turn. Call the result to end the turn.
     */
    turn: (done: Promise<void>): Promise<void> =>
      new Promise((resolve) => {
        void inTurn(async () => {
          resolve()
          const given = new AbortController()
          const late = sleep(longestTurnMs, undefined, { signal: given.signal, ref: false }).catch(() => undefined)
          await Promise.race([done, late])
          given.abort()
        })
      }),
  }
}
