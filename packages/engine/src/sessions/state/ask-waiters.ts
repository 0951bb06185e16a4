// Who waits for which answer in this process. The ask itself is in the log and outlives everything in here.
import type { Unreported } from '@quarterdeck/protocol'

export interface AskWaiters<Id, Answer> {
  /** Resolves with the answer, or with what an abort amounts to when the turn is stopped first. */
  wait(id: Id, asked: AskedIn): Promise<Answer>
  isWaiting(id: Id): boolean
  /**
   * An answer is about to be written: true when a process waits for it and nobody stops its turn. From here on it counts
   * as missed until the process has heard it, or until it is known that it was not written.
   */
  claim(id: Id): boolean
  unclaim(id: Id): void
  /** `untold`: what the agent has to be told should this answer be missed. */
  answer(id: Id, answer: Answer, unreported?: Unreported): void
  isClaimed(): boolean
  /** This call goes on with an answer from here on: nobody knows whether it has, until it has a result of its own. */
  markReceived(toolUseId: string, unreported: Unreported): void
  /** What was heard is about to be used. False when the turn is being stopped by now: then it was missed after all. */
  mayUse(toolUseId: string, signal: AbortSignal): boolean
  /** The call has its result, or will not be made. */
  settle(toolUseId: string): void
  /** Of a turn that is over: the answers that were written for it and that it never heard. Each is returned once. */
  missed(): readonly Unreported[]
  /** Of a turn that is over: the answers it heard for calls that have no result of their own. Each is returned once. */
  unsettled(): readonly Unreported[]
}

export interface AskedIn {
  readonly signal: AbortSignal
  /** The call that goes on with the answer; `null` for none. */
  readonly toolUseId: string | null
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
  const claimed = new Map<Id, Unreported | null>()
  const received = new Map<string, Unreported>()
  const tooLate: Unreported[] = []
  return {
    wait(id, { signal, toolUseId }) {
      hooks.onWait()
      return new Promise((resolve, reject) => {
        const settle = (answer: Answer) => {
          waiting.delete(id)
          signal.removeEventListener('abort', give)
          hooks.onAnswer()
          hooks.over().then(() => {
            const isReceived = !signal.aborted && !hooks.isStopping()
            const unreported = claimed.get(id) ?? null
            if (isReceived) claimed.delete(id)
            if (isReceived && unreported !== null && toolUseId !== null) received.set(toolUseId, unreported)
            resolve(isReceived ? answer : aborted)
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
    answer(id, answer, unreported) {
      if (unreported !== undefined && claimed.has(id)) claimed.set(id, unreported)
      waiting.get(id)?.(answer)
    },
    isClaimed: () => claimed.size > 0,
    markReceived: (toolUseId, unreported) => void received.set(toolUseId, unreported),
    mayUse(toolUseId, signal) {
      if (!signal.aborted && !hooks.isStopping()) return true
      const unreported = received.get(toolUseId)
      received.delete(toolUseId)
      if (unreported !== undefined) tooLate.push(unreported)
      return false
    },
    settle: (toolUseId) => void received.delete(toolUseId),
    missed() {
      const missed = [...[...claimed.values()].filter((unreported) => unreported !== null), ...tooLate.splice(0)]
      claimed.clear()
      return missed
    },
    unsettled() {
      const unsettled = [...received.values()]
      received.clear()
      return unsettled
    },
  }
}

/** Waits before it writes: nobody can answer faster than it listens. `giveUp` ends the wait when the answer is known. */
export async function waitWhile<Id, Answer>(
  waiters: AskWaiters<Id, Answer>,
  { id, signal, toolUseId }: AskedIn & { readonly id: Id },
  write: () => Promise<unknown>,
): Promise<{ readonly answer: Promise<Answer>; giveUp(): Promise<void> }> {
  const given = new AbortController()
  const answer = waiters.wait(id, { signal: AbortSignal.any([signal, given.signal]), toolUseId })
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
