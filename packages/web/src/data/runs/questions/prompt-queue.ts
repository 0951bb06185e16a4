// Prompts to the user during a run, one at a time. Parallel calls queue here.
import { type RunPrompt, rowsAnswers } from '../../domain/analysis.ts'
import type { UserPrompter } from '../../tools/tool-deps.ts'

export type PromptQueue = ReturnType<typeof createPromptQueue>

interface Waiting {
  readonly ask: RunPrompt
  readonly settle: (text: string) => void
}

/** Calls `show` with the current prompt, or `null`. */
export function createPromptQueue(show: (ask: RunPrompt | null) => void) {
  const waiting: Waiting[] = []
  const answers = new Map<string, string>()

  function leave(one: Waiting): void {
    const index = waiting.indexOf(one)
    if (index < 0) return
    waiting.splice(index, 1)
    if (index === 0) show(waiting[0]?.ask ?? null)
  }

  return {
    /** Resolves with the user's answer. Rejects with the signal's reason. */
    ask: (ask: RunPrompt, signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
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
    /**
     * Answers this prompt, now or when it is asked again: a tab that takes over a run gets answers before it asks. The
     * first answer counts, so that refused rows stay refused.
     */
    answer(to: RunPrompt, text: string) {
      const key = keyOf(to)
      if (answers.has(key)) return
      answers.set(key, text)
      waiting.find(({ ask }) => keyOf(ask) === key)?.settle(text)
    },
  }
}

/** Everything that the user saw: if any of it changes, the prompt is asked again. */
const keyOf = (ask: RunPrompt): string => JSON.stringify(ask)

export function promptUser(prompts: PromptQueue): UserPrompter {
  return {
    question: (asked, signal) => prompts.ask({ kind: 'question', ...asked }, signal),
    async rows(asked, signal) {
      const answer = await prompts.ask({ kind: 'rows', ...asked }, signal)
      return answer === rowsAnswers.allow ? 'allow' : 'summary'
    },
  }
}
