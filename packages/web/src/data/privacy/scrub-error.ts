// Removes cell values from errors ("Could not convert string 'ann@x.com'") below level 2.
import { cutText, type PrivacyLevel } from '@quarterdeck/protocol'
import { disclosureOf } from '../domain/disclosure.ts'
import { sqlNames } from '../sql/sql-names.ts'
import { kindSentences, sqlErrorForms } from './sql-error-forms.ts'

export interface ErrorContext {
  readonly level: PrivacyLevel
  /** The code of the model. */
  readonly code: string
  /** Names that it may know: tables in scope, columns that are sent, steps. */
  readonly names: readonly string[]
  /** Whether column names in it can contain cells. */
  readonly fromCells: boolean
  /** Names that are removed at every level. */
  readonly hidden: readonly string[]
}

const errorLimit = 2000

/**
 * Below level 2 an error is sent only in a known form with names that the model wrote or knows; otherwise only its kind
 * is sent. Words are never checked one by one, because a query can contain enough words to spell a cell.
 */
export function scrubError(text: string, context: ErrorContext): string {
  const bare = withoutHidden(cutText(text, errorLimit), context)
  if (!disclosureOf(context.level).scrubsErrors) return bare
  const kind = /^([A-Z][A-Za-z ]{2,30}) Error: /.exec(bare)?.[1] ?? ''
  if (context.fromCells) return kindSentence(kind)
  const known = createKnown(context)
  const form = knownForm(bare, known)
  // For errors in the SQL text, no row has been read yet.
  const isEarly = kind === 'Binder' || kind === 'Catalog' || kind === 'Parser'
  if (!isEarly) return form ?? kindSentence(kind)
  return [form ?? kindSentence(kind), ...candidateNames(bare, known), ...lineOf(bare, context.code)].join('\n')
}

function kindSentence(kind: string): string {
  const sentence = kindSentences[kind]
  const more = 'details of the error are not shown at this privacy level.'
  return sentence === undefined ? `It failed; ${more}` : `${kind} Error: ${sentence}; ${more}`
}

type Known = (name: string) => boolean

/** Whole names, with or without the table before the column. */
function createKnown({ code, names }: ErrorContext): Known {
  const known = new Set([...names, ...sqlNames(code)].map((name) => name.toLowerCase()))
  // Operators are allowed: `+`, `~~`.
  const isOne = (name: string): boolean => known.has(name) || /^[-+*/%^<>=~!|&@(),;.:?[\]{}]{1,4}$/.test(name)
  return (quoted) => {
    const name = quoted.toLowerCase()
    const dots = [...name.matchAll(/\./g)].map(({ index }) => index)
    return isOne(name) || dots.some((dot) => isOne(name.slice(0, dot)) && isOne(name.slice(dot + 1)))
  }
}

function knownForm(text: string, isKnown: Known): string | null {
  for (const { pattern, message } of sqlErrorForms) {
    const found = pattern.exec(text)
    if (found === null) continue
    if (message !== undefined) return message.replace('{type}', found.groups?.type ?? '')
    return found.slice(1).every((name) => name === undefined || isKnown(name)) ? found[0] : null
  }
  return null
}

/** DuckDB suggests similar names, even ones that the model does not know. */
function candidateNames(text: string, isKnown: Known): readonly string[] {
  const suggested = /\n\s*Candidate (?:bindings|tables)[: ]+("[^\n]*")/.exec(text)?.[1] ?? ''
  const names = [...suggested.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name).filter(isKnown)
  return names.length === 0 ? [] : [`Candidates: ${names.map((name) => `"${name}"`).join(', ')}`]
}

function lineOf(text: string, code: string): readonly string[] {
  const line = Number(/\nLINE (\d{1,5}):/.exec(text)?.[1] ?? 0)
  return line >= 1 && line <= code.split('\n').length ? [`LINE ${line}`] : []
}

const thrownForms: readonly RegExp[] = [
  /^ReferenceError: (\S+) is not defined$/,
  /^ReferenceError: Cannot access '(\S+)' before initialization$/,
  /^TypeError: Cannot (?:read|set) properties of (?:undefined|null) \((?:reading|setting) '(\S+)'\)$/,
  /^TypeError: (\S+) is not (?:a function|iterable|a constructor)$/,
  /^TypeError: Cannot convert undefined or null to object$/,
  /^TypeError: Assignment to constant variable\.$/,
  /^TypeError: Reduce of empty array with no initial value$/,
  /^TypeError: Cannot mix BigInt and other types, use explicit conversions$/,
  /^TypeError: Cannot convert a BigInt value to a number$/,
  /^RangeError: (?:Invalid array length|Invalid time value|Maximum call stack size exceeded)$/,
  /^SyntaxError: (?:Unexpected end of input|Invalid or unexpected token|missing \) after argument list)$/,
  /^SyntaxError: Unexpected (?:token|identifier) '(\S+)'$/,
]

/** Code can throw any text. Below level 2 only JavaScript's own messages about names in the code are sent. */
export function scrubThrown(text: string, context: ErrorContext): string {
  if (!disclosureOf(context.level).scrubsErrors) return scrubError(text, context)
  const line = text.trim()
  const form = thrownForms.map((one) => one.exec(line)).find((found) => found !== null)
  const isOwn = form !== undefined && (form[1] === undefined || context.code.includes(form[1]))
  return isOwn ? line : 'it threw its own error; the message is not shown at this privacy level.'
}

function withoutHidden(text: string, { hidden, names, code }: ErrorContext): string {
  const known = new Set([...names, ...sqlNames(code)].map((name) => name.toLowerCase()))
  const secret = hidden.filter((name) => !known.has(name.toLowerCase())).sort((a, b) => b.length - a.length)
  return secret.reduce((left, name) => left.replaceAll(new RegExp(wholeName(name), 'giu'), '…'), text)
}

/** Not inside longer words: `id` in `valid` does not count. */
const wholeName = (name: string): string =>
  `(?<![\\p{L}\\p{N}_])${name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}(?![\\p{L}\\p{N}_])`
