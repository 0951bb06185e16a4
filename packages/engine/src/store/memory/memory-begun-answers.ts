import type { BegunAnswer } from '../begun-answer.ts'

type Name = Pick<BegunAnswer, 'sessionId' | 'apiMessageId'>

export function createMemoryBegunAnswers() {
  const answers = new Map<string, BegunAnswer>()
  const keyOf = ({ sessionId, apiMessageId }: Name) => `${sessionId} ${apiMessageId}`
  return {
    note(answer: BegunAnswer): void {
      if (!answers.has(keyOf(answer))) answers.set(keyOf(answer), { ...answer })
    },
    all: (): readonly BegunAnswer[] =>
      [...answers.values()].sort((one, other) => (one.apiMessageId < other.apiMessageId ? -1 : 1)),
    drop: (name: Name): boolean => answers.delete(keyOf(name)),
    dropAll(sessionId: BegunAnswer['sessionId']): void {
      for (const [key, answer] of answers) if (answer.sessionId === sessionId) answers.delete(key)
    },
  }
}
