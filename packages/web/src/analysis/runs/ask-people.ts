// The questions of tools, as a person is asked them.
import { rowsAnswers } from '../analysis.ts'
import type { PersonAsk } from '../tools/tool-deps.ts'
import type { AskDesk } from './create-ask-desk.ts'

export function askPeople(desk: AskDesk): PersonAsk {
  return {
    question: ({ question, options }, signal) => desk.ask({ kind: 'question', question, options }, signal),
    async rows({ callId: _, ...asked }, signal) {
      const words = await desk.ask({ kind: 'rows', ...asked }, signal)
      return words === rowsAnswers.allow ? 'allow' : 'summary'
    },
  }
}
