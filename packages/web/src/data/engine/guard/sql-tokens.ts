// Splits a statement with DuckDB's own tokenizer. DuckDB reports the start and kind of each token; this file finds the
// end. Text that the two do not agree on is refused.
import type { ScriptTokens } from '@duckdb/duckdb-wasm'
import { stringValue } from '../../sql/sql-names.ts'

export interface Token {
  /** `word`: a keyword or an unquoted name · `name`: a quoted name. */
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'operator'
  /** Words and names in lower case without quotes, strings without quotes, other tokens unchanged. */
  readonly value: string
  /** A string with backslash escapes: `e'\x5f'`. */
  readonly isEscaped?: true
  readonly start: number
  readonly end: number
}

/** DuckDB counts in bytes; see its `TokenType`. */
const kinds = { identifier: 0, number: 1, string: 2, comment: 5 } as const

/** `null` if some text belongs to no token. */
export function readTokens(sql: string, { offsets, types }: ScriptTokens): readonly Token[] | null {
  const starts = toIndexes(sql, offsets)
  const tokens: Token[] = []
  let end = 0
  for (const [at, start] of starts.entries()) {
    if (types[at] === kinds.comment) continue
    if (start < end || !isGap(sql.slice(end, start))) return null
    const token = readToken(sql, { start, type: types[at] ?? -1, next: starts[at + 1] ?? sql.length })
    if (token === null) return null
    tokens.push(token)
    end = token.end
  }
  return isGap(sql.slice(end)) ? tokens : null
}

/** DuckDB's parser accepts spaces of other scripts, its tokenizer does not. Plain spaces work for both. */
export const withPlainSpaces = (sql: string): string =>
  sql.replace(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]/g,
    (part) => (part.length === 1 ? ' ' : part),
  )

const quoted = /"(?:[^"]|"")*"/y
const strings = [/'(?:[^']|'')*'/y, /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y, /[xXbB]'[^']*'/y, /(\$[^$\s'"]*\$)[\s\S]*?\1/y]
const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y

function readToken(sql: string, { start, type, next }: { start: number; type: number; next: number }): Token | null {
  const name = matchAt(quoted, sql, start)
  if (name !== null) {
    const value = name.slice(1, -1).replaceAll('""', '"').toLowerCase()
    return { kind: 'name', value, start, end: start + name.length }
  }
  if (type === kinds.string) {
    const text = strings.map((pattern) => matchAt(pattern, sql, start)).find((found) => found !== null)
    if (text === undefined || text === null) return null
    const escaped = /^e/i.test(text) && text.includes('\\') ? { isEscaped: true as const } : {}
    return { kind: 'string', value: stringValue(text), ...escaped, start, end: start + text.length }
  }
  const plain = matchAt(word, sql, start)
  if (plain !== null) return { kind: 'word', value: plain.toLowerCase(), start, end: start + plain.length }
  const value = /^(?:(?!--|\/\*)[^\s"'])+/.exec(sql.slice(start, next))?.[0]
  if (value === undefined || (value.includes(';') && value !== ';')) return null
  return { kind: type === kinds.number ? 'number' : 'operator', value, start, end: start + value.length }
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

/** White space and comments, possibly nested. */
function isGap(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const two = text.slice(at, at + 2)
    if (two === '/*') {
      depth += 1
      at += 1
    } else if (two === '*/' && depth > 0) {
      depth -= 1
      at += 1
    } else if (depth === 0 && two === '--') {
      const end = text.slice(at).search(/[\n\r]/)
      if (end < 0) return true
      at += end
    } else if (depth === 0 && !/\s/.test(text.charAt(at))) return false
  }
  return depth === 0
}

/** Maps positions in UTF-8 to positions in the string. */
function toIndexes(text: string, offsets: readonly number[]): readonly number[] {
  const encoder = new TextEncoder()
  const indexes: number[] = []
  let bytes = 0
  let index = 0
  for (const offset of offsets) {
    while (bytes < offset && index < text.length) {
      const letter = String.fromCodePoint(text.codePointAt(index) ?? 0)
      bytes += encoder.encode(letter).length
      index += letter.length
    }
    indexes.push(index)
  }
  return indexes
}
