// Whether an answer fits its question: a sentence about the first thing that is wrong, or `null`.
import type { JsonObject, OpenQuestion, QuestionItem } from '@quarterdeck/protocol'
import { checkElicited } from './check-elicited.ts'

const longestAnswer = 10_000

export function checkAnswers(
  question: Pick<OpenQuestion, 'source' | 'items' | 'schema'>,
  answers: JsonObject,
): string | null {
  if (question.source === 'mcp') return question.schema === null ? null : checkElicited(question.schema, answers)
  const unknown = Object.keys(answers).find((text) => !question.items.some((item) => item.question === text))
  if (unknown !== undefined) return `answers: "${unknown}" was not asked`
  for (const item of question.items) {
    const problem = checkAnswer(item, Object.hasOwn(answers, item.question) ? answers[item.question] : undefined)
    if (problem !== null) return `answers["${item.question}"]: ${problem}`
  }
  return null
}

/** An option or words of one's own; several where several may be chosen. */
function checkAnswer({ multiSelect }: QuestionItem, answer: unknown): string | null {
  if (answer === undefined) return 'is not answered'
  if (Array.isArray(answer)) {
    if (!multiSelect) return 'takes one answer, not a list'
    return answer.length > 0 && answer.every(isFilled) ? null : 'must be a list of texts that are not empty'
  }
  return isFilled(answer) ? null : `must be a text that is not empty, of at most ${longestAnswer} characters`
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longestAnswer
