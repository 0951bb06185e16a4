// The questions of tools, as a person is asked them.
import { rowsAnswers } from '../../domain/analysis.ts'
import type { UserPrompter } from '../../tools/tool-deps.ts'
import type { PromptQueue } from './prompt-queue.ts'

export function promptUser(prompts: PromptQueue): UserPrompter {
  return {
    question: (asked, signal) => prompts.ask({ kind: 'question', ...asked }, signal),
    async rows(asked, signal) {
      const answer = await prompts.ask({ kind: 'rows', ...asked }, signal)
      return answer === rowsAnswers.allow ? 'allow' : 'summary'
    },
  }
}
