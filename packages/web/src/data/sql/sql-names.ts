// Finds the names in SQL text like DuckDB: strings and comments contain none.
/** Quoted names without quotes. Includes keywords, because the text is not parsed. */
export function sqlNames(sql: string): readonly string[] {
  return [...sqlTokens(sql)].filter(({ kind }) => kind === 'word' || kind === 'quoted').map(bareText)
}

/** Without quotes and escapes. */
export function bareText({ kind, text }: SqlToken): string {
  if (kind === 'quoted') return text.slice(1, -1).replaceAll('""', '"')
  return kind === 'string' ? stringValue(text) : text
}

/** Without spaces and comments. */
export const codeTokens = (sql: string): readonly SqlToken[] =>
  [...sqlTokens(sql)].filter(({ kind }) => kind !== 'space' && kind !== 'comment')

/** The value of a string, without quotes and escapes. */
export function stringValue(text: string): string {
  if (text.startsWith('$')) return text.slice(text.indexOf('$', 1) + 1, text.lastIndexOf('$', text.length - 2))
  const inner = text.slice(text.indexOf("'") + 1, -1)
  return /^e/i.test(text) ? unescapeSql(inner) : inner.replaceAll("''", "'")
}

export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'comment' | 'space' | 'other'
  readonly text: string
}

// In this order: openers of strings and comments match before their possible content.
const pattern = new RegExp(
  [
    '(?<comment>--[^\\n\\r]*)',
    "(?<string>[eE]'(?:[^'\\\\]|\\\\[\\s\\S]|'')*(?:'|$)|'(?:[^']|'')*(?:'|$))",
    '(?<quoted>"(?:[^"]|"")*(?:"|$))',
    '(?<number>\\d[\\d_]*(?:\\.\\d*)?(?:[eE][+-]?\\d+)?)',
    '(?<word>[\\p{L}_][\\p{L}\\p{N}\\p{M}_$]*)',
    '(?<space>\\s+)',
    '(?<other>[\\s\\S])',
  ].join('|'),
  'uy',
)

export function* sqlTokens(sql: string): Generator<SqlToken> {
  let at = 0
  while (at < sql.length) {
    const long = blockComment(sql, at) ?? dollarString(sql, at)
    if (long !== null) {
      yield long
      at += long.text.length
      continue
    }
    pattern.lastIndex = at
    const match = pattern.exec(sql)
    if (match === null) return
    const [kind, text] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [
      'other',
      match[0],
    ]
    yield { kind: kind as SqlToken['kind'], text: text ?? match[0] } // the groups are named after the kinds
    at += match[0].length
  }
}

/** Comments nest: the first end may not be the last. */
function blockComment(sql: string, from: number): SqlToken | null {
  if (!sql.startsWith('/*', from)) return null
  let depth = 1
  let at = from + 2
  while (depth > 0 && at < sql.length) {
    if (sql.startsWith('/*', at)) depth += 1
    else if (sql.startsWith('*/', at)) depth -= 1
    else {
      at += 1
      continue
    }
    at += 2
  }
  return { kind: 'comment', text: sql.slice(from, at) }
}

function dollarString(sql: string, from: number): SqlToken | null {
  const tag = /^\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/u.exec(sql.slice(from, from + 100))?.[0]
  if (tag === undefined) return null
  const end = sql.indexOf(tag, from + tag.length)
  return { kind: 'string', text: sql.slice(from, end < 0 ? sql.length : end + tag.length) }
}

const pieces = /''|\\(?:[0-7]{1,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])|[^\\]/gu
const letters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Decodes the text of `e'…'` like DuckDB: as bytes, which may combine to one character. */
function unescapeSql(text: string): string {
  const encoder = new TextEncoder()
  const bytes = [...text.matchAll(pieces)].flatMap(([piece]) => {
    const octal = /^\\([0-7]+)$/.exec(piece)?.[1]
    if (octal !== undefined) return [Number.parseInt(octal, 8) & 255]
    const [, sign, hex] = /^\\([xuU])([0-9a-fA-F]+)$/.exec(piece) ?? []
    const code = Number.parseInt(hex ?? '0', 16)
    if (sign === 'x') return [code]
    if (sign !== undefined) return [...encoder.encode(code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code))]
    if (!piece.startsWith('\\')) return [...encoder.encode(piece === "''" ? "'" : piece)]
    const letter = piece.slice(1)
    return [...encoder.encode(letters[letter] ?? letter)]
  })
  return new TextDecoder().decode(new Uint8Array(bytes))
}
