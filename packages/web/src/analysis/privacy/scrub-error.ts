// Errors say what stood in a cell ("Could not convert string 'ann@x.com'"). Below level 2 they leave without it.
import { cutText, type PrivacyLevel } from '@quarterdeck/protocol'
import { sqlNames } from '../steps/sql-names.ts'
import { disclosureOf } from './disclosure.ts'
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
 * Below level 2 only words stay that an error is made of, names the model knows, and, where the database points at
 * something in quotes, what the model itself wrote. What else is said becomes `…`, numbers too.
 */
export function scrubError(text: string, context: ErrorContext): string {
  const bare = withoutHidden(cutText(text, errorLimit), context)
  if (!disclosureOf(context.level).scrubsErrors) return bare
  const lines = bare.split('\n').flatMap((line) => scrubLine(line, context))
  return lines.join('\n').trim() || 'it failed; the words of the error are not shown at this privacy level'
}

function scrubLine(line: string, context: ErrorContext): readonly string[] {
  // DuckDB shows the line of the query and a mark under it: the model has the query.
  const excerpt = /^\s*LINE (\d{1,5}):/.exec(line)
  if (excerpt !== null) return [`LINE ${excerpt[1]}`]
  if (/^[\s^]*$/.test(line)) return []
  return [scrubWords(line, context)]
}

function scrubWords(line: string, { code, names }: ErrorContext): string {
  const called = [...code.matchAll(/([\p{L}_][\p{L}\p{N}_]*)\s*\(/gu)].map(([, name]) => name?.toLowerCase() ?? '')
  const known = new Set([...names.flatMap(wordsOf), ...called])
  const own = new Set(sqlNames(code).map((name) => name.toLowerCase()))
  const scrubbed = line.replace(/"([^"]{1,200})"|[\p{L}\p{M}\p{N}_]+/gu, (found, quoted: string | undefined) => {
    if (quoted !== undefined) return isName(quoted, known, own) ? found : '…'
    const word = found.toLowerCase()
    return known.has(word) || errorWords.has(word) ? found : '…'
  })
  // What stood between two words that are gone says how they were written.
  return scrubbed.replace(/…(?:[^\p{L}…]*…)+/gu, '…')
}

/** `"orders.total"`: in quotes the database points at a name. */
function isName(quoted: string, known: ReadonlySet<string>, own: ReadonlySet<string>): boolean {
  const name = quoted.toLowerCase()
  return (
    own.has(name) || wordsOf(name).every((word) => known.has(word)) || name.split('.').every((part) => own.has(part))
  )
}

function withoutHidden(text: string, { hidden, names, code }: ErrorContext): string {
  const known = new Set([...names, ...sqlNames(code)].map((name) => name.toLowerCase()))
  const secret = hidden.filter((name) => !known.has(name.toLowerCase())).sort((a, b) => b.length - a.length)
  return secret.reduce((left, name) => left.replaceAll(new RegExp(wholeName(name), 'giu'), '…'), text)
}

/** Not inside longer words: `id` is no part of `valid`. */
const wholeName = (name: string): string =>
  `(?<![\\p{L}\\p{N}_])${name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}(?![\\p{L}\\p{N}_])`
