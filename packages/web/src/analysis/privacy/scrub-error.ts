// Errors say what stood in a cell ("Could not convert string 'ann@x.com'"). Below level 2 they leave without it.
import { cutText, type PrivacyLevel } from '@quarterdeck/protocol'
import { disclosureOf } from '../disclosure.ts'
import { sqlNames } from '../steps/sql-names.ts'
import { errorWords } from './error-words.ts'
import { wordsOf } from './known-words.ts'

export interface ErrorContext {
  readonly level: PrivacyLevel
  /** What the model wrote. */
  readonly code: string
  /** Names it may know: of tables in scope, of columns that are sent, of steps. */
  readonly names: readonly string[]
  /** Names it must not hear of at any level. */
  readonly hidden: readonly string[]
}

const errorLimit = 2000

/**
 * Below level 2 only words stay that an error is made of and names the model knows. What stands in quotes stays only
 * where it is such a name; from the first quote that is not, all to the last is gone, because a cell may have quotes, line
 * ends and words of errors in it.
 */
export function scrubError(text: string, context: ErrorContext): string {
  const bare = withoutHidden(cutText(text, errorLimit), context)
  if (!disclosureOf(context.level).scrubsErrors) return bare
  const known = knownTo(context)
  const [, before = bare, line] = /^([\s\S]*)\nLINE (\d{1,5}):/.exec(bare) ?? []
  const [, head = before, candidates = ''] = /^([\s\S]*?)\n\s*(Candidate[\s\S]*)$/.exec(before) ?? []
  const said = scrubWords(withoutQuoted(head, known).split('\n')[0] ?? '', known)
  return [
    said.trim() || 'It failed; the words of the error are not shown at this privacy level.',
    ...candidateNames(candidates, known),
    ...(line === undefined ? [] : [`LINE ${line}`]),
  ].join('\n')
}

interface Known {
  readonly words: ReadonlySet<string>
  /** Names as the model wrote them. */
  readonly own: ReadonlySet<string>
}

function knownTo({ code, names }: ErrorContext): Known {
  const called = [...code.matchAll(/([\p{L}_][\p{L}\p{N}_]*)\s*\(/gu)].map(([, name]) => name?.toLowerCase() ?? '')
  return {
    words: new Set([...names.flatMap(wordsOf), ...called]),
    own: new Set(sqlNames(code).map((name) => name.toLowerCase())),
  }
}

function withoutQuoted(text: string, known: Known): string {
  const values = text
    .replace(/with value [\s\S]* can't be cast/, "with value … can't be cast")
    .replaceAll("can't", 'cannot')
  const quoted = [...values.matchAll(/"([^"]*)"|'([^']*)'|["']/g)]
  const bad = quoted.find(([, double, single]) => !isName(double ?? single ?? '', known))
  if (bad === undefined) return values
  const end = Math.max(values.lastIndexOf('"'), values.lastIndexOf("'"))
  return `${values.slice(0, bad.index)}…${values.slice(end + 1)}`
}

/** `orders.total`: in quotes the database points at a name. */
function isName(quoted: string, { words, own }: Known): boolean {
  const name = quoted.toLowerCase()
  if (name === '') return false
  return (
    own.has(name) || name.split('.').every((part) => own.has(part) || wordsOf(part).every((word) => words.has(word)))
  )
}

/** What is still in quotes is a name. */
function scrubWords(line: string, { words }: Known): string {
  const scrubbed = line.replace(/"[^"]*"|'[^']*'|[\p{L}\p{M}\p{N}_]+/gu, (found) => {
    const word = found.toLowerCase()
    return /^["']/.test(word) || words.has(word) || errorWords.has(word) ? found : '…'
  })
  // What stood between two words that are gone says how they were written.
  return scrubbed.replace(/…(?:[^\p{L}…]*…)+/gu, '…')
}

function candidateNames(text: string, known: Known): readonly string[] {
  const names = [...text.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name).filter((name) => isName(name, known))
  return names.length === 0 ? [] : [`Candidates: ${names.map((name) => `"${name}"`).join(', ')}`]
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
