// Asks a question of the agent in a terminal: options by number, or an answer in words.
import type { AnswerQuestionBody, EventOfType, JsonObject, QuestionItem } from '@quarterdeck/protocol'
import { visibleText } from '@quarterdeck/protocol'
import { itemLines, serverRequestLines } from '../render/asked-lines.ts'
import { type FormField, formFields } from './form-fields.ts'

export type AskedQuestion = EventOfType<'QuestionAsked'>['data']

export interface QuestionPrompt {
  readonly print: (line: string) => void
  /** `null` when the user left. `present` is the initial text of the line. */
  readonly read: (prompt: string, present?: string) => Promise<string | null>
}

/** `null` when the user left without an answer: the question stays open. */
export async function askQuestion(asked: AskedQuestion, prompt: QuestionPrompt): Promise<AnswerQuestionBody | null> {
  for (const line of serverRequestLines(asked)) prompt.print(line)
  return asked.source === 'mcp' ? fillForm(asked, prompt) : chooseAnswers(asked.items, prompt)
}

async function chooseAnswers(
  items: readonly QuestionItem[],
  prompt: QuestionPrompt,
): Promise<AnswerQuestionBody | null> {
  const answers: [string, string | string[]][] = []
  for (const item of items) {
    const chosen = await chooseOne(item, prompt)
    if (chosen === null) return null
    answers.push([item.question, chosen])
  }
  return { answers: fromEntries(answers) }
}

/** Not by assignment, so that a question or a field called `__proto__` works. */
const fromEntries = (entries: readonly (readonly [string, unknown])[]): JsonObject => Object.fromEntries(entries)

async function chooseOne(item: QuestionItem, prompt: QuestionPrompt): Promise<string | string[] | null> {
  for (const line of itemLines(item)) prompt.print(line)
  const how = item.multiSelect ? 'numbers separated by commas, or your own words' : 'a number, or your own words'
  for (;;) {
    const line = await prompt.read(`  ${how}: `)
    if (line === null) return null
    const parts = (item.multiSelect ? line.split(',') : [line]).map((part) => part.trim()).filter((part) => part !== '')
    const [first] = parts
    if (first === undefined) continue
    return item.multiSelect ? parts.map((part) => labelOf(item, part)) : labelOf(item, first)
  }
}

/** A number selects an option; anything else is an answer in words. */
function labelOf({ options }: QuestionItem, text: string): string {
  const option = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined
  return option?.label ?? text
}

async function fillForm(asked: AskedQuestion, prompt: QuestionPrompt): Promise<AnswerQuestionBody | null> {
  const fields = formFields(asked.schema)
  const isWilling = await agree(fields.length > 0, prompt)
  if (isWilling === null) return null
  if (!isWilling) return { answers: null }
  const answers: [string, unknown][] = []
  for (const field of fields) {
    const text = await readField(field, prompt)
    if (text === null) return null
    if (text !== '') answers.push([field.name, typedValue(field.type, text)])
  }
  return { answers: fromEntries(answers) }
}

/** Asks for this field until the value fits; `null` when the user left. */
async function readField(field: FormField, prompt: QuestionPrompt): Promise<string | null> {
  const { name, type, description, choices, isRequired } = field
  const facts = [
    ...(description === '' ? [] : [description]),
    ...(choices.length === 0 ? [] : [`one of: ${choices.join(', ')}`]),
    ...(type === 'boolean' ? ['yes or no'] : []),
    ...(isRequired ? ['required'] : []),
  ]
  for (;;) {
    const text = await prompt.read(visibleText(`  ${name}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}: `))
    if (text === null || (text === '' && !isRequired)) return text
    const problem = problemOf(field, text)
    if (problem === null) return text
    prompt.print(visibleText(`  ${problem}`))
  }
}

function problemOf({ name, type, choices }: FormField, text: string): string | null {
  if (text === '') return `${name} is required`
  if (choices.length > 0 && !choices.includes(text)) return `${name} must be one of: ${choices.join(', ')}`
  const value = typedValue(type, text)
  if (type === 'boolean' && typeof value !== 'boolean') return `${name} must be yes or no`
  if ((type === 'number' || type === 'integer') && typeof value !== 'number') return `${name} must be a number`
  return type === 'integer' && !Number.isInteger(value) ? `${name} must be a whole number` : null
}

/** Accepts only the named letters, so that users cannot agree by accident. `null` when the user left. */
async function agree(hasFields: boolean, prompt: QuestionPrompt): Promise<boolean | null> {
  const yes = hasFields ? /^$/ : /^y(es)?$/i
  for (;;) {
    const line = await prompt.read(hasFields ? '  [enter] fill in  [n] decline: ' : '  [y] agree  [n] decline: ')
    if (line === null) return null
    if (yes.test(line)) return true
    if (/^no?$/i.test(line)) return false
  }
}

/** A value that does not parse as its type is sent unchanged: the server reports what is wrong. */
function typedValue(type: unknown, text: string): string | number | boolean {
  if (type === 'boolean' && /^(y|yes|true|n|no|false)$/i.test(text)) return /^[yt]/i.test(text)
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text)))
    return Number(text)
  return text
}
