// A question of the agent on a terminal: the options by number, or an answer in one's own words.
import type { AnswerQuestionBody, EventOfType, JsonObject, QuestionItem } from '@quarterdeck/protocol'
import { visibleText } from '@quarterdeck/protocol'
import { itemLines, serverRequestLines } from '../render/asked-lines.ts'
import { type FormField, formFields } from './form-fields.ts'

export type AskedQuestion = EventOfType<'QuestionAsked'>['data']

export interface QuestionPrompt {
  readonly say: (line: string) => void
  /** `null` when the person left. `present` stands in the line already. */
  readonly read: (prompt: string, present?: string) => Promise<string | null>
}

/** `null` when the person left without answering: the question stays open. */
export async function askQuestion(asked: AskedQuestion, prompt: QuestionPrompt): Promise<AnswerQuestionBody | null> {
  for (const line of serverRequestLines(asked)) prompt.say(line)
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

/** Not by assignment: a question or a field called `__proto__` is one like any other. */
const fromEntries = (entries: readonly (readonly [string, unknown])[]): JsonObject => Object.fromEntries(entries)

async function chooseOne(item: QuestionItem, prompt: QuestionPrompt): Promise<string | string[] | null> {
  for (const line of itemLines(item)) prompt.say(line)
  const how = item.multiSelect ? 'numbers with commas, or your own words' : 'a number, or your own words'
  for (;;) {
    const line = await prompt.read(`  ${how}: `)
    if (line === null) return null
    const parts = (item.multiSelect ? line.split(',') : [line]).map((part) => part.trim()).filter((part) => part !== '')
    const [first] = parts
    if (first === undefined) continue
    return item.multiSelect ? parts.map((part) => labelOf(item, part)) : labelOf(item, first)
  }
}

/** A number names an option; anything else is an answer of its own. */
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

/** Asks for this field alone until what is typed can be meant; `null` when they left. */
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
    prompt.say(visibleText(`  ${problem}`))
  }
}

function problemOf({ name, type, choices }: FormField, text: string): string | null {
  if (text === '') return `${name} is required`
  if (choices.length > 0 && !choices.includes(text)) return `${name} is one of: ${choices.join(', ')}`
  const value = typedValue(type, text)
  if (type === 'boolean' && typeof value !== 'boolean') return `${name} is yes or no`
  if ((type === 'number' || type === 'integer') && typeof value !== 'number') return `${name} is a number`
  return type === 'integer' && !Number.isInteger(value) ? `${name} is a whole number` : null
}

/** Nobody agrees by accident: anything else than the letters that are named is asked again. `null` when they left. */
async function agree(hasFields: boolean, prompt: QuestionPrompt): Promise<boolean | null> {
  const yes = hasFields ? /^$/ : /^y(es)?$/i
  for (;;) {
    const line = await prompt.read(hasFields ? '  [enter] fill in  [n] decline: ' : '  [y] agree  [n] decline: ')
    if (line === null) return null
    if (yes.test(line)) return true
    if (/^no?$/i.test(line)) return false
  }
}

/** What cannot be read as the type it should have is sent as it is: the server says what is wrong with it. */
function typedValue(type: unknown, text: string): string | number | boolean {
  if (type === 'boolean' && /^(y|yes|true|n|no|false)$/i.test(text)) return /^[yt]/i.test(text)
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text)))
    return Number(text)
  return text
}
