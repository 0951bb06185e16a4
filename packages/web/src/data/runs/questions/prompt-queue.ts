// What a person is asked in the middle of a run, one thing at a time: calls that run at once wait for each other here.
import type { RunPrompt } from '../../domain/analysis.ts'

export interface PromptQueue {
  /** Resolves with the person's words. Rejects with the signal's reason. */
  ask(ask: RunPrompt, signal: AbortSignal): Promise<string>
  /**
   * To this, whether it is asked now or again in a moment: a tab that takes a run over hears answers before it asks. The
   * first one holds, also where the same is asked again: rows that were refused stay refused.
   */
  answer(to: RunPrompt, text: string): void
}

interface Waiting {
  readonly ask: RunPrompt
  readonly settle: (text: string) => void
}

/** `show` is told what is asked now: `null` when nothing is. */
export function createPromptQueue(show: (ask: RunPrompt | null) => void): PromptQueue {
  const waiting: Waiting[] = []
  const answers = new Map<string, string>()

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
        const known = answers.get(keyOf(ask))
        if (known !== undefined) return resolve(known)
        const giveUp = () => {
          leave(one)
          reject(signal.reason)
        }
        const one: Waiting = {
          ask,
          settle(text) {
            signal.removeEventListener('abort', giveUp)
            leave(one)
            resolve(text)
          },
        }
        signal.addEventListener('abort', giveUp, { once: true })
        waiting.push(one)
        if (waiting.length === 1) show(ask)
      }),
    answer(to, text) {
      const key = keyOf(to)
      if (answers.has(key)) return
      answers.set(key, text)
      waiting.find(({ ask }) => keyOf(ask) === key)?.settle(text)
    },
  }
}

/** All of what a person saw: where it is not the same any more, they are asked again. */
const keyOf = (ask: RunPrompt): string => JSON.stringify(ask)
