// Errors say what stood in a cell ("Could not convert string 'ann@x.com'"). Below level 2 they leave without it.
import { cutText, type PrivacyLevel } from '@quarterdeck/protocol'
import { disclosureOf } from '../domain/disclosure.ts'
import { sqlNames } from '../sql/sql-names.ts'
import { kindSentences, sqlErrorForms } from './sql-error-forms.ts'

export interface ErrorContext {
  readonly level: PrivacyLevel
  /** What the model wrote. */
  readonly code: string
  /** Names it may know: of tables in scope, of columns that are sent, of steps. */
  readonly names: readonly string[]
  /** Names of columns in it can be cells. */
  readonly fromCells: boolean
  /** Names it must not hear of at any level. */
  readonly hidden: readonly string[]
}

const errorLimit = 2000

/**
 * Below level 2 an error leaves only in a form that is known, about names that the model wrote or was told; of any other
 * its kind is said. Words of it are never looked at one by one: the query brings as many as spell a cell.
 */
export function scrubError(text: string, context: ErrorContext): string {
  const bare = withoutHidden(cutText(text, errorLimit), context)
  if (!disclosureOf(context.level).scrubsErrors) return bare
  const kind = /^([A-Z][A-Za-z ]{2,30}) Error: /.exec(bare)?.[1] ?? ''
  if (context.fromCells) return kindSentence(kind)
  const known = createKnown(context)
  const said = knownForm(bare, known)
  // Where something is wrong with the text itself no row has been read yet.
  const isEarly = kind === 'Binder' || kind === 'Catalog' || kind === 'Parser'
  if (!isEarly) return said ?? kindSentence(kind)
  return [said ?? kindSentence(kind), ...candidateNames(bare, known), ...lineOf(bare, context.code)].join('\n')
}

function kindSentence(kind: string): string {
  const sentence = kindSentences[kind]
  const more = 'the other words of the error are not shown at this privacy level.'
  return sentence === undefined ? `It failed; ${more}` : `${kind} Error: ${sentence}; ${more}`
}

type Known = (name: string) => boolean

/** Whole names, with the table before the column or without. */
function createKnown({ code, names }: ErrorContext): Known {
  const known = new Set([...names, ...sqlNames(code)].map((name) => name.toLowerCase()))
  // Operators are no words: `+`, `~~`.
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

/** DuckDB suggests names that are alike, also ones the model was not told. */
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

/** Code can throw any words it likes. Below level 2 only those of JavaScript itself leave, about what stands in the code. */
export function scrubThrown(text: string, context: ErrorContext): string {
  if (!disclosureOf(context.level).scrubsErrors) return scrubError(text, context)
  const line = text.trim()
  const form = thrownForms.map((one) => one.exec(line)).find((found) => found !== null)
  const isOwn = form !== undefined && (form[1] === undefined || context.code.includes(form[1]))
  return isOwn ? line : 'it threw an error of its own; its words are not shown at this privacy level.'
}

function withoutHidden(text: string, { hidden, names, code }: ErrorContext): string {
  const known = new Set([...names, ...sqlNames(code)].map((name) => name.toLowerCase()))
  const secret = hidden.filter((name) => !known.has(name.toLowerCase())).sort((a, b) => b.length - a.length)
  return secret.reduce((left, name) => left.replaceAll(new RegExp(wholeName(name), 'giu'), '…'), text)
}

/** Not inside longer words: `id` is no part of `valid`. */
const wholeName = (name: string): string =>
  `(?<![\\p{L}\\p{N}_])${name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}(?![\\p{L}\\p{N}_])`
