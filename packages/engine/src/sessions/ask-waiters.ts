// Who waits for which answer in this process. The ask itself is in the log and outlives everything in here.
import type { Untold } from '@quarterdeck/protocol'

export interface AskWaiters<Id, Answer> {
  /** Resolves with the answer, or with what an abort amounts to when the turn is stopped first. */
  wait(id: Id, signal: AbortSignal): Promise<Answer>
  isWaiting(id: Id): boolean
  /**
   * An answer is about to be written: true when a process waits for it and nobody stops its turn. From here on it counts
   * as missed until the process has heard it, or until it is known that it was not written.
   */
  claim(id: Id): boolean
  unclaim(id: Id): void
  /** `untold`: what the agent has to be told should this answer be missed. */
  answer(id: Id, answer: Answer, untold?: Untold): void
  isClaimed(): boolean
  /** Of a turn that is over: the answers that were written for it and that it never heard. Each is returned once. */
  missed(): readonly Untold[]
}

export interface WaitHooks {
  readonly onWait: () => void
  readonly onAnswer: () => void
  /** Resolves when whoever waited may go on. */
  readonly over: () => Promise<void>
  /** The turn is being stopped: it hears nothing any more. */
  readonly isStopping: () => boolean
}

export function createAskWaiters<Id, Answer>(hooks: WaitHooks, aborted: Answer): AskWaiters<Id, Answer> {
  const waiting = new Map<Id, (answer: Answer) => void>()
  const claimed = new Map<Id, Untold | null>()
  return {
    wait(id, signal) {
      hooks.onWait()
      return new Promise((resolve, reject) => {
        const settle = (answer: Answer) => {
          waiting.delete(id)
          signal.removeEventListener('abort', give)
          hooks.onAnswer()
          hooks.over().then(() => {
            const isHeard = !signal.aborted && !hooks.isStopping()
            if (isHeard) claimed.delete(id)
            resolve(isHeard ? answer : aborted)
          }, reject)
        }
        const give = () => settle(aborted)
        waiting.set(id, settle)
        if (signal.aborted) give()
        else signal.addEventListener('abort', give)
      })
    },
    isWaiting: (id) => waiting.has(id),
    claim(id) {
      if (!waiting.has(id) || hooks.isStopping()) return false
      claimed.set(id, null)
      return true
    },
    unclaim: (id) => claimed.delete(id),
    answer(id, answer, untold) {
      if (untold !== undefined && claimed.has(id)) claimed.set(id, untold)
      waiting.get(id)?.(answer)
    },
    isClaimed: () => claimed.size > 0,
    missed() {
      const missed = [...claimed.values()].filter((untold) => untold !== null)
      claimed.clear()
      return missed
    },
  }
}

/** Waits before it writes: nobody can answer faster than it listens. `giveUp` ends the wait when the answer is known. */
export async function waitWhile<Id, Answer>(
  waiters: AskWaiters<Id, Answer>,
  { id, signal }: { readonly id: Id; readonly signal: AbortSignal },
  write: () => Promise<unknown>,
): Promise<{ readonly answer: Promise<Answer>; giveUp(): Promise<void> }> {
  const given = new AbortController()
  const answer = waiters.wait(id, AbortSignal.any([signal, given.signal]))
  try {
    await write()
  } catch (error) {
    given.abort()
    throw error
  }
  return {
    answer,
    async giveUp() {
      given.abort()
      await answer
    },
  }
}
