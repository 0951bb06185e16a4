// The usual value of a field with a certain name, found in the message.
import { addressIn, codeIn, dateIn, nameIn, numbersIn, pathIn, placeIn, quotedIn, urlIn } from './found-values.ts'
import { wordsNear } from './near-name.ts'

type Found = string | null
interface FieldSource {
  readonly prompt: string
  readonly answer: string | null
}

const fieldFinders: readonly (readonly [field: RegExp, find: (prompt: string) => Found])[] = [
  [/^(?:query|question|q|search|topic|keywords?)$|_query$/i, subjectOf],
  [/path|file|dir|folder/i, (prompt) => pathIn(prompt) ?? '.'],
  [/url|uri|link|href/i, urlIn],
  [/e-?mail/i, addressIn],
  [/(?:^|_)date$|Date$/, dateIn],
  [/expr|formula|calculation/i, arithmeticIn],
  [/(?:^|_)(?:id|number|no|code|sku|reference)$|(?:Id|Number|Code)$/i, (prompt) => codeIn(prompt) ?? numberIn(prompt)],
  [/city|town|location|place|country/i, placeIn],
  [/vendor|company|supplier|customer|seller|buyer|person|author|(?:^|_)name$|Name$/i, nameIn],
]

/** In an answer these contain the agent's text; in a call, the person's. */
const textField = /text|content|note|message|body|title|input|prompt|thought|observation/i

export function fieldValue(name: string, { prompt, answer }: FieldSource): Found {
  const find = fieldFinders.find(([field]) => field.test(name))?.[1]
  // For a required value without a match, an answer says that it was not given.
  if (find) return find(prompt) ?? (answer === null ? null : (wordsNear(name, prompt) ?? 'unknown'))
  if (answer !== null) return wordsNear(name, prompt)
  return textField.test(name) ? (quotedIn(prompt) ?? restOf(prompt)) : null
}

export function arithmeticIn(prompt: string): Found {
  // The lookbehind starts a match only at the beginning of a run of digits and brackets. This keeps the time linear.
  return /(?<![\d(][\s.)]*)-?[\d(][\d\s.()]*(?:[+*/×÷x^-]\s*-?[\d(][\d\s.()]*)+/.exec(prompt)?.[0].trim() ?? null
}

function numberIn(prompt: string): Found {
  const [first] = numbersIn(prompt)
  return first === undefined ? null : String(first)
}

/** For "search the notes for the dentist" the dentist; for a question the whole text. */
function subjectOf(prompt: string): string {
  const quoted = /["“„`]([^"”“`]+)["”“`]/.exec(prompt)?.[1]
  const searchPattern =
    /^\s*(?:please\s+)?(?:search|find|look|query|grep)\b.*?\b(?:for|about|on|mentioning|with)\s+(.+?)[.?!]*\s*$/is
  return quoted ?? searchPattern.exec(prompt)?.[1]?.replace(/^(?:the|an?|my)\s+/i, '') ?? prompt.trim()
}

/** For "echo hello world" and "please remember that I like tea" the text after the verb. */
function restOf(prompt: string): string {
  const rest = /^\s*(?:please\s+)?(?:\p{L}+)\s+(?:(?:that|this|an?|the)\s+)?(.+)$/isu.exec(prompt)?.[1]
  return /[?]\s*$/.test(prompt) || !rest ? prompt : rest
}
