// Reads JSON value by value. Unlike JSON.parse, it keeps integers of any length exact, keeps nested values as text, and
// reports the position of errors.
import { parseJson } from '@quarterdeck/protocol'
import type { Cell } from '../../domain/cells.ts'
import { ImportError } from '../source/import-error.ts'

export type JsonScanner = ReturnType<typeof createJsonScanner>

const long = 16
const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

export function createJsonScanner(text: string, file: string) {
  let position = 0
  const words = /[\w+.-]*/y

  function skipSpace(): void {
    for (;;) {
      const code = text.charCodeAt(position)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
      position += 1
    }
  }

  function fail(expected: string): never {
    const found = position >= text.length ? 'the file ends' : `there is "${text.slice(position, position + 12)}"`
    const where = `line ${lineAt(text, position)}, character ${position - text.lastIndexOf('\n', position - 1)}`
    throw new ImportError('unreadable', `"${file}" is not valid JSON: expected ${expected} in ${where}, but ${found}.`)
  }

  /** Consumes this character, or throws. */
  function take(letter: string): void {
    skipSpace()
    if (text[position] !== letter) fail(letter)
    position += 1
  }

  function string(): string {
    skipSpace()
    const start = position
    if (text[position] !== '"') fail('a quoted name')
    let end = text.indexOf('"', position + 1)
    while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
    if (end < 0) {
      position = text.length
      fail('a closing quote')
    }
    position = end + 1
    const inner = text.slice(start + 1, end)
    return inner.includes('\\') ? unescapeSql(start, end + 1) : inner
  }

  function unescapeSql(start: number, end: number): string {
    try {
      // Line breaks inside quotes are invalid but common, so they are accepted.
      return JSON.parse(text.slice(start, end).replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t'))
    } catch {
      // Reported below with the position.
      position = start
      return fail('valid escapes in a string')
    }
  }

  function literal(): Cell {
    const start = position
    words.lastIndex = start
    const word = words.exec(text)?.[0] ?? ''
    position += word.length
    if (word === 'null') return null
    if (word === 'true' || word === 'false') return word === 'true'
    // Python writes these; JSON has no such numbers.
    if (/^-?(NaN|Infinity)$/.test(word)) return null
    if (!number.test(word)) {
      position = start
      return fail('a value')
    }
    return word.length < long || /[.eE]/.test(word) ? Number(word) : wholeNumber(word)
  }

  function nested(): string {
    const start = position
    let depth = 0
    do {
      const letter = text[position]
      if (letter === undefined) fail('a closing bracket')
      else if (letter === '"') string()
      else {
        if (letter === '{' || letter === '[') depth += 1
        if (letter === '}' || letter === ']') depth -= 1
        position += 1
      }
    } while (depth > 0)
    const slice = text.slice(start, position)
    if (parseJson(slice) !== undefined) return slice
    position = start
    return fail('a valid list or object')
  }

  /** A value as a cell: lists and objects as their text. */
  function cell(): Cell {
    skipSpace()
    const letter = text[position]
    if (letter === '"') return string()
    return letter === '{' || letter === '[' ? nested() : literal()
  }

  return {
    take,
    string,
    cell,
    fail,
    /** The next character that is not a space; empty at the end. */
    peek() {
      skipSpace()
      return text[position] ?? ''
    },
    /** The one after that. */
    peekSecond() {
      skipSpace()
      return /\S/.exec(text.slice(position + 1, position + 1000))?.[0] ?? ''
    },
    at: () => position,
  }
}

/** Numbers beyond 64 bits fit no numeric column, so their digits stay text. */
function wholeNumber(word: string): Cell {
  const whole = BigInt(word)
  if (BigInt.asIntN(64, whole) !== whole) return word
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text[at - 1] === '\\') at -= 1
  return (quote - at) % 2 === 1
}

const lineAt = (text: string, position: number): number => text.slice(0, position).split('\n').length
