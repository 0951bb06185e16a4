// Who waits for which answer in this process. The ask itself is in the log and outlives everything in here.

export interface AskWaiters<Id, Answer> {
  /** Resolves with the answer, or with what an abort amounts to when the signal aborts first. */
  wait(id: Id, signal: AbortSignal): Promise<Answer>
  isWaiting(id: Id): boolean
  answer(id: Id, answer: Answer): void
}

export interface WaitHooks {
  readonly onWait: () => void
  readonly onAnswer: () => void
}

export function createAskWaiters<Id, Answer>(hooks: WaitHooks, aborted: Answer): AskWaiters<Id, Answer> {
  const waiting = new Map<Id, (answer: Answer) => void>()
  return {
    wait(id, signal) {
      hooks.onWait()
      return new Promise((resolve) => {
        const settle = (answer: Answer) => {
          waiting.delete(id)
          signal.removeEventListener('abort', give)
          hooks.onAnswer()
          resolve(answer)
        }
        const give = () => settle(aborted)
        waiting.set(id, settle)
        if (signal.aborted) give()
        else signal.addEventListener('abort', give)
      })
    },
    isWaiting: (id) => waiting.has(id),
    answer: (id, answer) => waiting.get(id)?.(answer),
  }
}

/** Waits before it writes: nobody can answer faster than it listens. `giveUp` ends the wait when the answer is known. */
export async function waitWhile<Id, Answer>(
  waiters: AskWaiters<Id, Answer>,
  { id, signal }: { readonly id: Id; readonly signal: AbortSignal },
  write: () => Promise<unknown>,
): Promise<{ readonly answer: Promise<Answer>; giveUp(): void }> {
  const given = new AbortController()
  const answer = waiters.wait(id, AbortSignal.any([signal, given.signal]))
  try {
    await write()
  } catch (error) {
    given.abort()
    throw error
  }
  return { answer, giveUp: () => given.abort() }
}
