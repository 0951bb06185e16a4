// A question of the agent on a terminal: the options by number, or an answer in one's own words.
import type { AnswerQuestionBody, EventOfType, JsonObject, QuestionItem } from '@quarterdeck/protocol'
import { visibleText } from '@quarterdeck/protocol'

export type AskedQuestion = EventOfType<'QuestionAsked'>['data']

export interface QuestionPrompt {
  readonly say: (line: string) => void
  /** `null` when the person left. */
  readonly read: (prompt: string) => Promise<string | null>
}

/** `null` when the person left without answering: the question stays open. */
export async function askQuestion(asked: AskedQuestion, prompt: QuestionPrompt): Promise<AnswerQuestionBody | null> {
  if (asked.message !== '') prompt.say(`  ${visibleText(asked.message)}`)
  if (asked.url !== null) prompt.say(`  it asks you to open: ${visibleText(asked.url)}`)
  return asked.source === 'mcp' ? fillForm(asked, prompt) : chooseAnswers(asked.items, prompt)
}

async function chooseAnswers(
  items: readonly QuestionItem[],
  prompt: QuestionPrompt,
): Promise<AnswerQuestionBody | null> {
  const answers: JsonObject = {}
  for (const item of items) {
    const chosen = await chooseOne(item, prompt)
    if (chosen === null) return null
    answers[item.question] = chosen
  }
  return { answers }
}

async function chooseOne(item: QuestionItem, prompt: QuestionPrompt): Promise<string | string[] | null> {
  prompt.say(`  ${visibleText(item.question)}`)
  for (const [index, { label, description }] of item.options.entries()) {
    prompt.say(`    [${index + 1}] ${visibleText(label)}${description === '' ? '' : `: ${visibleText(description)}`}`)
  }
  const how = item.multiSelect ? 'numbers with commas, or your own words' : 'a number, or your own words'
  for (;;) {
    const line = await prompt.read(`  ${how}: `)
    if (line === null) return null
    if (line === '') continue
    return item.multiSelect ? line.split(',').map((part) => labelOf(item, part.trim())) : labelOf(item, line)
  }
}

/** A number names an option; anything else is an answer of its own. */
function labelOf({ options }: QuestionItem, text: string): string {
  const option = /^\d+$/.test(text) ? options[Number(text) - 1] : undefined
  return option?.label ?? text
}

interface Field {
  readonly name: string
  readonly type: unknown
  readonly description: string
}

async function fillForm(asked: AskedQuestion, prompt: QuestionPrompt): Promise<AnswerQuestionBody | null> {
  const fields = fieldsOf(asked.schema)
  const first = fields.length === 0 ? '  [y] agree  [n] decline: ' : '  [enter] fill in  [n] decline: '
  const start = await prompt.read(first)
  if (start === null) return null
  if (start.toLowerCase().startsWith('n')) return { answers: null }
  const answers: JsonObject = {}
  for (const { name, type, description } of fields) {
    const text = await prompt.read(
      `  ${visibleText(name)}${description === '' ? '' : ` (${visibleText(description)})`}: `,
    )
    if (text === null) return null
    if (text !== '') answers[name] = typedValue(type, text)
  }
  return { answers }
}

function fieldsOf(schema: JsonObject | null): readonly Field[] {
  const properties = schema?.properties
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).map(([name, field]: [string, unknown]) => {
    const facts = typeof field === 'object' && field !== null ? field : {}
    const description = 'description' in facts && typeof facts.description === 'string' ? facts.description : ''
    return { name, type: 'type' in facts ? facts.type : 'string', description }
  })
}

/** What cannot be read as the type it should have is sent as it is: the server says what is wrong with it. */
function typedValue(type: unknown, text: string): string | number | boolean {
  if (type === 'boolean' && /^(y|yes|true|n|no|false)$/i.test(text)) return /^[yt]/i.test(text)
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text)))
    return Number(text)
  return text
}
