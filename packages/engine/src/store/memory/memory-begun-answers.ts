import { BegunAnswer, type BegunAnswerId } from '../ports/begun-answer.ts'

export function createMemoryBegunAnswers() {
  const answers = new Map<string, BegunAnswer>()
  const keyOf = ({ sessionId, apiMessageId }: BegunAnswerId) => `${sessionId} ${apiMessageId}`
  return {
    note(noted: BegunAnswer): void {
      const answer = BegunAnswer.parse(noted)
      if (!answers.has(keyOf(answer))) answers.set(keyOf(answer), answer)
    },
    all: (): readonly BegunAnswer[] =>
      [...answers.values()].sort((one, other) => (one.apiMessageId < other.apiMessageId ? -1 : 1)),
    drop: (name: BegunAnswerId): boolean => answers.delete(keyOf(name)),
    dropAll(sessionId: BegunAnswer['sessionId']): void {
      for (const [key, answer] of answers) if (answer.sessionId === sessionId) answers.delete(key)
    },
  }
}
