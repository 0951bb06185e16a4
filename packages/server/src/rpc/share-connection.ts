// Shares one connection: answers and the events of many sessions take turns when its capacity is used up.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcConnection } from './rpc-host.ts'

export interface SharedConnection {
  /** Sends at once if there is capacity. False: no more before `turn` resolves. */
  send(text: string): boolean
  /** False from the first refusal until the next turn. */
  hasCapacity(): boolean
  /** Sends after everything that waits, as soon as there is capacity. */
  post(text: string): Promise<void>
  /**
   * Resolves when there is capacity and everything that waited before had its turn. Call the result to end the turn.
   */
  turn(done: Promise<void>): Promise<void>
}

/** A feed with its turn reads from the log first; after this time the next one continues. */
const longestTurnMs = 50

export function shareConnection(connection: RpcConnection): SharedConnection {
  let last: Promise<void> = Promise.resolve()
  let hasCapacity = true

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
    hasCapacity: () => hasCapacity,
    post: (text) =>
      inTurn(async () => {
        send(text)
      }),
    turn: (done) =>
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
