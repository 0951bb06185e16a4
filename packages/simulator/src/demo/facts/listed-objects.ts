// A result in JSON that counts or lists objects, told in sentences: the number is the one that the tool gave.

import { parseJson } from '@quarterdeck/protocol'
import type { ToolCallEntry } from '../../replies/read-conversation.ts'

type Fields = Readonly<Record<string, unknown>>
interface Listed {
  readonly count: number
  readonly objects: readonly Fields[]
  readonly source: string
}

const countFields = ['count', 'total', 'total_count', 'totalCount']
const labelFields = ['display', 'name', 'title', 'label', 'id']
const mostShown = 20

/** `null` where the result is something else. */
export function describeListed({ name, input, result }: ToolCallEntry, prompt: string): string | null {
  const listed = readListed(result?.text ?? '')
  if (listed === null) return null
  const { count, objects, source } = listed
  const asked = askedFor(prompt)
  if (asked !== null) return `There ${count === 1 ? 'is' : 'are'} ${count} ${asked}${source}.`
  const tool = name.split('__').at(-1)
  // More was asked than was passed on: what the number is of has to be said.
  if (/\bhow many\b/i.test(prompt)) return `${tool} counts ${count} for ${JSON.stringify(input)}${source}.`
  const shown = objects.slice(0, mostShown)
  const more = count > shown.length ? `\n\n(${count - shown.length} more)` : ''
  const lines = shown.map((object) => `- ${labelOf(object)}`)
  return [`${tool} found ${count}${source}:`, '', ...lines].join('\n') + more
}

/** Of "How many sites are there?" the sites; nothing of a question with conditions. */
function askedFor(prompt: string): string | null {
  return (
    /^\W*how many ([\p{L}\s-]+?)\s+(?:are there|do (?:we|you|I) have|exist)(?: in (?:all|total))?\s*[?.!]*\s*$/iu
      .exec(prompt)?.[1]
      ?.trim() ?? null
  )
}

function readListed(text: string): Listed | null {
  const body = parseJson(text)
  if (!isFields(body)) return null
  const count = countFields.map((name) => body[name]).find((value): value is number => typeof value === 'number')
  const objects = Object.values(body).find(
    (value): value is readonly Fields[] => Array.isArray(value) && value.every(isFields),
  )
  if (count === undefined || objects === undefined) return null
  return { count, objects, source: typeof body.source === 'string' ? ` (${body.source})` : '' }
}

function labelOf(object: Fields): string {
  const label = labelFields.find((name) => object[name] !== undefined)
  return label === undefined ? JSON.stringify(object) : String(object[label])
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
