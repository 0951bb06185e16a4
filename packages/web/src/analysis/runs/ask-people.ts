// The questions of tools, as a person is asked them.
import { rowsAnswers } from '../analysis.ts'
import type { PersonAsk } from '../tools/tool-deps.ts'
import type { AskDesk } from './create-ask-desk.ts'

export function askPeople(desk: AskDesk): PersonAsk {
  return {
    question: (asked, signal) => desk.ask({ kind: 'question', ...asked }, signal),
    async rows(asked, signal) {
      const words = await desk.ask({ kind: 'rows', ...asked }, signal)
      return words === rowsAnswers.allow ? 'allow' : 'summary'
    },
  }
}
