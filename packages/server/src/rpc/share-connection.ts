// One way out for everybody on a connection: answers and the events of many sessions take turns when there is no room.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RpcConnection } from './rpc-host.ts'

export interface SharedConnection {
  /** At once, whatever there is room for. False: no more before `turn` resolves. */
  send(text: string): boolean
  /** False since somebody was told so, until the next turn. */
  hasCapacity(): boolean
  /** Behind everybody who waits, as soon as there is room. */
  post(text: string): Promise<void>
  /** Resolves when there is room and everybody who waited before has had it. Hand in what ends the turn. */
  turn(done: Promise<void>): Promise<void>
}

/** A feed that has its turn reads from the log first. It is not waited for longer than this. */
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

  /** Each in its turn; nothing it does may keep the next one from having its own. */
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
