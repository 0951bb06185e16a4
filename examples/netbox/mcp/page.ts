// Formats an answer of NetBox for the model: bounded in size, and with instructions to get the rest.
import { z } from 'zod'
import { NetboxError } from './netbox-client.ts'

const Page = z.looseObject({ count: z.int(), results: z.array(z.looseObject({})) })
type Page = z.infer<typeof Page>

/** Throws a sentence if the answer is not from NetBox. */
export function readPage(body: unknown): Page {
  const page = Page.safeParse(body)
  if (page.success) return page.data
  throw new NetboxError(notNetbox)
}

interface Shown {
  readonly heading: Readonly<Record<string, string | undefined>>
  readonly fields?: readonly string[] | undefined
  readonly offset?: number | undefined
}

const mostLetters = 40_000

export function asText({ count, results }: Page, { heading, fields, offset = 0 }: Shown): string {
  const chosen = results.map((one) => onlyFields(one, fields))
  const shown = fitting(chosen)
  if (shown.length === 0 && chosen.length > 0) throw new NetboxError(tooLarge)
  const next = offset + shown.length
  return asJson({
    ...heading,
    count,
    offset,
    returned: shown.length,
    ...(next < count && shown.length > 0 && { next: `${count - next} more: ask again with offset ${next}` }),
    ...(shown.length < chosen.length && { cut: `too long: ${chosen.length - shown.length} left out, name the fields` }),
    results: shown,
  })
}

export function oneAsText(body: unknown, { heading, fields }: Shown): string {
  const found = z.looseObject({}).safeParse(body)
  if (!found.success) throw new NetboxError(notNetbox)
  const text = asJson({ ...heading, result: onlyFields(found.data, fields) })
  if (text.length > mostLetters) throw new NetboxError(tooLarge)
  return text
}

const notNetbox = 'The server answered, but not like NetBox: check NETBOX_URL'
const tooLarge = 'The answer is too long. Name the fields you need, or ask with brief'
const tooDeep = 'The answer is nested too deeply. Name the fields you need, or ask with brief'

/** `JSON.parse` accepts any depth, but `JSON.stringify` is limited by the stack. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw error instanceof RangeError ? new NetboxError(tooDeep) : error
  }
}

/** Older versions ignore `fields` and send everything. */
function onlyFields(one: Readonly<Record<string, unknown>>, fields: readonly string[] | undefined) {
  if (fields === undefined || fields.length === 0) return one
  return Object.fromEntries(fields.filter((name) => name in one).map((name) => [name, one[name]]))
}

function fitting<T>(objects: readonly T[]): readonly T[] {
  let letters = 0
  const past = objects.findIndex((one) => {
    letters += asJson(one).length
    return letters > mostLetters
  })
  return past === -1 ? objects : objects.slice(0, past)
}
