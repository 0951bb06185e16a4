// The current selection of a user and the answers it produces.
import type { JsonObject, QuestionItem } from '@quarterdeck/protocol'

/** Options are stored by index, because two may have the same label. */
export interface QuestionChoice {
  readonly options: readonly number[]
  readonly isOther: boolean
  readonly other: string
}

export const noChoice: QuestionChoice = { options: [], isOther: false, other: '' }

export function chooseOption({ multiSelect }: QuestionItem, choice: QuestionChoice, option: number): QuestionChoice {
  if (!multiSelect) return { ...choice, options: [option], isOther: false }
  const options = choice.options.includes(option)
    ? choice.options.filter((one) => one !== option)
    : [...choice.options, option].sort((one, other) => one - other)
  return { ...choice, options }
}

export const chooseOther = ({ multiSelect }: QuestionItem, choice: QuestionChoice): QuestionChoice =>
  multiSelect ? { ...choice, isOther: !choice.isOther } : { ...choice, options: [], isOther: true }

/** Keyed by question text, as the agent receives it. `null` while a question has no answer. */
export function chosenAnswers(items: readonly QuestionItem[], choices: readonly QuestionChoice[]): JsonObject | null {
  const answers = new Map<string, string | string[]>()
  for (const [index, item] of items.entries()) {
    const given = labelsOf(item, choices[index] ?? noChoice)
    if (given.length === 0) return null
    answers.set(item.question, item.multiSelect ? given : (given[0] ?? ''))
  }
  // `fromEntries` defines own properties, so a question named `__proto__` works like any other.
  return Object.fromEntries(answers)
}

function labelsOf({ options }: QuestionItem, choice: QuestionChoice): string[] {
  const labels = choice.options.flatMap((index) => options[index]?.label ?? [])
  const other = choice.other.trim()
  if (choice.isOther && other === '') return []
  return choice.isOther ? [...labels, other] : labels
}
