// Checks an answer against its question. Returns the first problem, or `null`.
import { checkElicited, type JsonObject, type OpenQuestion, type QuestionItem } from '@quarterdeck/protocol'

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

/** One option or a text of the person's own; several if several may be chosen. */
function checkAnswer({ multiSelect }: QuestionItem, answer: unknown): string | null {
  if (answer === undefined) return 'is not answered'
  if (Array.isArray(answer)) {
    if (!multiSelect) return 'takes one answer, not a list'
    return answer.length > 0 && answer.every(isFilled) ? null : 'must be a list of non-empty texts'
  }
  return isFilled(answer) ? null : `must be a non-empty text of at most ${longestAnswer} characters`
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longestAnswer
