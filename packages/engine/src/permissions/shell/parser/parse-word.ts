// One word of a command line: quotes, escapes, expansions and substitutions.
import { isDone, matchHere, NotUnderstood, peek, type Scanner, skipBlanks, startsWith } from './scanner.ts'
import { readBackticks, readDoubleQuoted, readExpansion } from './shell-expansion.ts'
import type { Word } from './shell-syntax.ts'
import { finishWord, newWordBuilder, pushPart, type WordBuilder } from './word-builder.ts'

const plainRun = /[^\s\\'"$`*?[\]{},.~=;&|()<>]+/y

/** Reads the word that starts here; an empty one if there is none. */
export function parseWord(scanner: Scanner): Word {
  const start = scanner.at
  const builder = newWordBuilder()
  const braces = { isOpen: false, hasSeparator: false, expands: false }
  const brackets = { isOpen: false, isClosed: false }
  while (!isDone(scanner) && !isWordEnd(scanner)) {
    const run = matchHere(scanner, plainRun)
    if (run !== null) {
      scanner.at += run.length
      pushPart(builder, 'text', run)
      continue
    }
    if (readQuoted(scanner, builder)) continue
    const char = peek(scanner)
    noteBraces(braces, char, peek(scanner, 1))
    if (char === '[') brackets.isOpen = true
    if (char === ']' && brackets.isOpen) brackets.isClosed = true
    scanner.at += 1
    pushPart(builder, char === '*' || char === '?' ? 'glob' : 'text', char)
  }
  const source = scanner.source.slice(start, scanner.at)
  // zsh expands `=name` to the path of a command, which is not in the line.
  const isFilled = braces.expands || (source.startsWith('=') && source.length > 1)
  return finishWord(source, builder, { isFilled, hasBrackets: brackets.isClosed })
}

function isWordEnd(scanner: Scanner): boolean {
  const char = peek(scanner)
  if (char === '<' || char === '>') return peek(scanner, 1) !== '('
  return ' \t\n;&|()'.includes(char)
}

/** Reads one quoted, escaped or expanded part; false if the character here is an ordinary one. */
function readQuoted(scanner: Scanner, builder: WordBuilder): boolean {
  switch (peek(scanner)) {
    case '\\':
      readEscape(scanner, builder)
      return true
    case "'":
      pushPart(builder, 'text', readSingleQuoted(scanner))
      return true
    case '"':
      scanner.at += 1
      readDoubleQuoted(scanner, builder, '"')
      return true
    case '`':
      readBackticks(scanner, builder)
      return true
    case '$':
      readDollar(scanner, builder)
      return true
    case '<':
    case '>':
      readExpansion(scanner, builder)
      return true
    default:
      return false
  }
}

function readEscape(scanner: Scanner, builder: WordBuilder): void {
  const next = peek(scanner, 1)
  scanner.at += next === '' ? 1 : 2
  if (next !== '\n') pushPart(builder, 'text', next === '' ? '\\' : next)
}

function readSingleQuoted(scanner: Scanner): string {
  const end = scanner.source.indexOf("'", scanner.at + 1)
  if (end === -1) throw new NotUnderstood('a quote is not closed')
  const text = scanner.source.slice(scanner.at + 1, end)
  scanner.at = end + 1
  return text
}

function readDollar(scanner: Scanner, builder: WordBuilder): void {
  if (startsWith(scanner, "$'")) {
    pushPart(builder, 'text', readAnsiQuoted(scanner))
  } else if (startsWith(scanner, '$"')) {
    scanner.at += 2
    readDoubleQuoted(scanner, builder, '"')
  } else {
    readExpansion(scanner, builder)
  }
}

/** `{a,b}` and `{1..3}` become several words, which are not expanded here. */
function noteBraces(braces: { isOpen: boolean; hasSeparator: boolean; expands: boolean }, char: string, next: string) {
  if (char === '{') braces.isOpen = true
  else if (braces.isOpen && (char === ',' || (char === '.' && next === '.'))) braces.hasSeparator = true
  else if (char === '}' && braces.hasSeparator) braces.expands = true
}

/** `[x]=1` inside an array evaluates its subscript; a number needs no evaluation. */
const subscript = /^\[(?!\d+\]\+?=)/

/** The words up to `)`: the value of an array. */
export function parseArray(scanner: Scanner): Word {
  const start = scanner.at
  const builder = newWordBuilder()
  scanner.at += 1
  for (;;) {
    skipBlanks(scanner)
    if (peek(scanner) === '\n') scanner.at += 1
    else if (peek(scanner) === ')') break
    else {
      const word = parseWord(scanner)
      if (word.source === '') throw new NotUnderstood('an array that is not closed')
      builder.inner.push(...word.inner)
      if (word.evaluates || subscript.test(word.source)) builder.found.evaluates = true
    }
  }
  scanner.at += 1
  const source = scanner.source.slice(start, scanner.at)
  pushPart(builder, 'hole', source)
  return finishWord(source, builder, { isFilled: true, hasBrackets: false })
}

const named: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const piece = /[^\\']+|\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c[\s\S]|[\s\S])/y

/** Reads from `$'` past the closing quote. In no other quotes can escapes produce any character. */
function readAnsiQuoted(scanner: Scanner): string {
  let text = ''
  scanner.at += 2
  for (;;) {
    if (scanner.source[scanner.at] === "'") {
      scanner.at += 1
      return text
    }
    piece.lastIndex = scanner.at
    const found = piece.exec(scanner.source)?.[0]
    if (found === undefined) throw new NotUnderstood('a quote is not closed')
    scanner.at += found.length
    text += found.startsWith('\\') ? decode(found.slice(1)) : found
  }
}

function decode(sequence: string): string {
  const kind = sequence[0] ?? ''
  if (kind === 'x' || kind === 'u' || kind === 'U') {
    if (sequence.length === 1) return `\\${sequence}`
    return character(Number.parseInt(sequence.slice(1), 16))
  }
  if (/[0-7]/.test(kind)) return character(Number.parseInt(sequence, 8) & 0xff)
  if (kind === 'c' && sequence.length > 1) return character(sequence.charCodeAt(1) & 0x1f)
  return named[kind] ?? (/['"\\?]/.test(kind) ? kind : `\\${sequence}`)
}

function character(code: number): string {
  // The shell ends the text at a NUL, so a line that contains one is refused.
  if (code === 0 || code > 0x10ffff) throw new NotUnderstood('an escape that is not a character')
  return String.fromCodePoint(code)
}
