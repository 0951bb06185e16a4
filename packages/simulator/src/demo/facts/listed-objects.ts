// Describes a JSON result that counts or lists objects. The number is the one from the tool.
import { isRecord, parseJson } from '@quarterdeck/protocol'
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

/** `null` if the result has another shape. */
export function describeListed({ name, input, result }: ToolCallEntry, prompt: string): string | null {
  const listed = readListed(result?.text ?? '')
  if (listed === null) return null
  const { count, objects, source } = listed
  const asked = askedFor(prompt)
  if (asked !== null) return `There ${count === 1 ? 'is' : 'are'} ${count} ${asked}${source}.`
  const tool = name.split('__').at(-1)
  // The question had conditions that were not passed on, so the counted objects are named.
  if (/\bhow many\b/i.test(prompt)) return `${tool} counts ${count} for ${JSON.stringify(input)}${source}.`
  const shown = objects.slice(0, mostShown)
  const more = count > shown.length ? `\n\n(${count - shown.length} more)` : ''
  const lines = shown.map((object) => `- ${labelOf(object)}`)
  return [`${tool} found ${count}${source}:`, '', ...lines].join('\n') + more
}

/** For "How many sites are there?" the sites; nothing for a question with conditions. */
const askedFor = (prompt: string): string | null =>
  /^\W*how many ([\p{L}\s-]+?)\s+(?:are there|do (?:we|you|I) have|exist)(?: in (?:all|total))?\s*[?.!]*\s*$/iu
    .exec(prompt)?.[1]
    ?.trim() ?? null

function readListed(text: string): Listed | null {
  const body = parseJson(text)
  if (!isRecord(body)) return null
  const count = countFields.map((name) => body[name]).find((value): value is number => typeof value === 'number')
  const objects = Object.values(body).find(
    (value): value is readonly Fields[] => Array.isArray(value) && value.every(isRecord),
  )
  if (count === undefined || objects === undefined) return null
  return { count, objects, source: typeof body.source === 'string' ? ` (${body.source})` : '' }
}

function labelOf(object: Fields): string {
  const label = labelFields.find((name) => object[name] !== undefined)
  return label === undefined ? JSON.stringify(object) : String(object[label])
}
