// Asks a question of the agent in a terminal: options by number, or an answer in words.
import {
  type AnswerQuestionBody,
  type ElicitedField,
  type ElicitedValue,
  type EventOfType,
  elicitedFields,
  type JsonObject,
  type QuestionItem,
  readElicited,
  visibleText,
} from '@quarterdeck/protocol'
import { itemLines, serverRequestLines } from '../render/asked-lines.ts'

export type QuestionRequest = EventOfType<'QuestionAsked'>['data']

export interface QuestionPrompt {
  readonly print: (line: string) => void
  /** `null` when the user left. `present` is the initial text of the line. */
  readonly read: (prompt: string, present?: string) => Promise<string | null>
}

/** `null` when the user left without an answer: the question stays open. */
export async function askQuestion(asked: QuestionRequest, prompt: QuestionPrompt): Promise<AnswerQuestionBody | null> {
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
    if (!item.multiSelect) {
      if (line.trim() !== '') return labelOf(item, line.trim())
      continue
    }
    const isLabel = (text: string) => item.options.some(({ label }) => label === text)
    const chosen = new Set(listParts(line, isLabel).map((part) => labelOf(item, part)))
    if (chosen.size > 0) return [...chosen]
  }
}

/** Splits at commas, except within a label: the longest label counts. */
function listParts(text: string, isLabel: (text: string) => boolean): readonly string[] {
  const pieces = text.split(',')
  const parts: string[] = []
  while (pieces.length > 0) {
    const joined = (count: number) => pieces.slice(0, count).join(',').trim()
    let count = pieces.length
    while (count > 1 && !isLabel(joined(count))) count -= 1
    parts.push(joined(count))
    pieces.splice(0, count)
  }
  return parts.filter((part) => part !== '')
}

/** A number selects an option; anything else is an answer in words. */
function labelOf({ options }: QuestionItem, text: string): string {
  const option = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined
  return option?.label ?? text
}

async function fillForm(asked: QuestionRequest, prompt: QuestionPrompt): Promise<AnswerQuestionBody | null> {
  const fields = elicitedFields(asked.schema ?? {})
  const isWilling = await agree(fields.length > 0, prompt)
  if (isWilling === null) return null
  if (!isWilling) return { answers: null }
  const answers: [string, unknown][] = []
  for (const field of fields) {
    const read = await readField(field, prompt)
    if (read === null) return null
    if (read.value !== undefined) answers.push([field.name, read.value])
  }
  return { answers: fromEntries(answers) }
}

/** Asks for this field until the value fits; `null` when the user left. */
async function readField(field: ElicitedField, prompt: QuestionPrompt): Promise<{ readonly value: unknown } | null> {
  const { isRequired } = field
  const title = oneLine(field.title)
  const facts = [oneLine(field.description), formatOf(field), isRequired ? 'required' : ''].filter(
    (fact) => fact !== '',
  )
  for (;;) {
    const text = await prompt.read(`  ${title}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}: `)
    if (text === null) return null
    const read = typedValue(field, text)
    if ('value' in read && (read.value !== undefined || !isRequired)) return read
    prompt.print(`  ${title} ${'problem' in read ? oneLine(read.problem) : 'is required'}`)
  }
}

/** A line break could fake a line of the prompt. */
const oneLine = (text: string): string => visibleText(text).replaceAll(/\s+/g, ' ').trim()

function formatOf({ kind, options, inputType }: ElicitedField): string {
  const labels = options.map(({ label }) => oneLine(label)).join(', ')
  switch (kind) {
    case 'choice':
      return `one of: ${labels}`
    case 'choices':
      return `several separated by commas: ${labels}`
    case 'boolean':
      return 'yes or no'
    case 'json':
      return 'as JSON'
    default:
      return inputType === 'datetime-local' ? 'as 2026-05-04T10:00' : ''
  }
}

function typedValue(field: ElicitedField, text: string): ElicitedValue {
  const { kind, options } = field
  const word = text.trim()
  if (word === '') return { value: undefined }
  if (kind === 'boolean') {
    return /^(y|yes|true|n|no|false)$/i.test(word) ? { value: /^[yt]/i.test(word) } : { problem: 'must be yes or no' }
  }
  if (kind !== 'choice' && kind !== 'choices') return readElicited(field, text)
  const optionOf = (part: string) =>
    options.findIndex(({ label, value }) => [label, oneLine(label), value, JSON.stringify(value)].includes(part))
  const parts = kind === 'choice' ? [word] : listParts(word, (part) => optionOf(part) !== -1)
  const chosen = [...new Set(parts.map(optionOf))]
  if (chosen.length > 0 && !chosen.includes(-1)) return readElicited(field, chosen)
  return { problem: `must be one of: ${options.map(({ label }) => label).join(', ')}` }
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
