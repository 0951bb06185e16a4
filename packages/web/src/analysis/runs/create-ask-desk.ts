// What a person is asked in the middle of a run, one thing at a time: calls that run at once wait for each other here.
import type { Ask } from '../analysis.ts'

export interface AskDesk {
  /** Resolves with the person's words. Rejects with the signal's reason. */
  ask(ask: Ask, signal: AbortSignal): Promise<string>
  /** To what is asked now; without that it changes nothing. */
  answer(words: string): void
}

interface Waiting {
  readonly ask: Ask
  readonly settle: (words: string) => void
}

/** `show` is told what is asked now: `null` when nothing is. */
export function createAskDesk(show: (ask: Ask | null) => void): AskDesk {
  const waiting: Waiting[] = []

  function leave(one: Waiting): void {
    const index = waiting.indexOf(one)
    if (index < 0) return
    waiting.splice(index, 1)
    if (index === 0) show(waiting[0]?.ask ?? null)
  }

  return {
    ask: (ask, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const giveUp = () => {
          leave(one)
          reject(signal.reason)
        }
        const one: Waiting = {
          ask,
          settle(words) {
            signal.removeEventListener('abort', giveUp)
            leave(one)
            resolve(words)
          },
        }
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.push(one)
        if (waiting.length === 1) show(ask)
      }),
    answer: (words) => waiting[0]?.settle(words),
  }
}
