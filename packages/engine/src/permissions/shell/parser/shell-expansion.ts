// `$…`, backticks and process substitution. Their values become holes; the commands inside are kept.
import {
  descend,
  expectText,
  isDone,
  matchHere,
  NotUnderstood,
  nestedScanner,
  peek,
  type Scanner,
  startsWith,
} from './scanner.ts'
import { newWordBuilder, pushPart, type WordBuilder } from './word-builder.ts'

const openSubscript = /\[(?!\d+\])/y
const parameter = /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!_-])/y

/** Reads the expansion that starts here with `$`, `<(` or `>(`. */
export function readExpansion(scanner: Scanner, builder: WordBuilder): void {
  const start = scanner.at
  if (startsWith(scanner, '$((') && isArithmetic(scanner))
    readArithmetic(scanner, builder, { open: '$((', close: '))' })
  else if (startsWith(scanner, '$(') || startsWith(scanner, '<(') || startsWith(scanner, '>('))
    readScript(scanner, builder)
  else if (startsWith(scanner, '${')) readParameter(scanner, builder)
  else if (startsWith(scanner, '$[')) readArithmetic(scanner, builder, { open: '$[', close: ']' })
  else {
    const name = matchHere(scanner, parameter)
    scanner.at += name?.length ?? 1
    if (name === null) {
      pushPart(builder, 'text', '$')
      return
    }
    // zsh allows a subscript without braces.
    if (matchHere(scanner, openSubscript) !== null) builder.found.evaluates = true
  }
  pushPart(builder, 'hole', scanner.source.slice(start, scanner.at))
}

function readScript(scanner: Scanner, builder: WordBuilder): void {
  scanner.at += 2
  descend(scanner, (inner) => {
    builder.inner.push(...inner.parseScript(inner, (position) => peek(position) === ')'))
    expectText(inner, ')')
  })
}

export function readBackticks(scanner: Scanner, builder: WordBuilder): void {
  const start = scanner.at
  let script = ''
  scanner.at += 1
  for (;;) {
    if (isDone(scanner)) throw new NotUnderstood('a backtick is not closed')
    const char = peek(scanner)
    if (char === '`') break
    const next = peek(scanner, 1)
    const isEscaped = char === '\\' && next !== '' && '`\\$'.includes(next)
    script += isEscaped ? next : char
    scanner.at += isEscaped ? 2 : 1
  }
  scanner.at += 1
  const inner = nestedScanner(scanner, script)
  builder.inner.push(...inner.parseScript(inner, isDone))
  if (!isDone(inner) || inner.hereDocs.length > 0) throw new NotUnderstood('a substitution that is not closed')
  pushPart(builder, 'hole', scanner.source.slice(start, scanner.at))
}

/** `${…}` up to its closing brace; nested parts may run commands. */
function readParameter(scanner: Scanner, builder: WordBuilder): void {
  scanner.at += 2
  const start = scanner.at
  descend(scanner, (inner) => {
    while (peek(inner) !== '}') readNested(inner, builder)
    inner.at += 1
  })
  if (!isPlainParameter(scanner.source.slice(start, scanner.at - 1))) builder.found.evaluates = true
}

function readArithmetic(scanner: Scanner, builder: WordBuilder, ends: { open: string; close: string }): void {
  scanner.at += ends.open.length
  const start = scanner.at
  descend(scanner, (inner) => {
    let parentheses = 0
    while (parentheses > 0 || !startsWith(inner, ends.close)) {
      if (peek(inner) === '(') parentheses += 1
      if (peek(inner) === ')') parentheses -= 1
      readNested(inner, builder)
    }
    inner.at += ends.close.length
  })
  if (!isPlainArithmetic(scanner.source.slice(start, scanner.at - ends.close.length))) builder.found.evaluates = true
}

const doubleQuotedRun = /[^"\\$`]+/y

/** Reads to the closing quote, or to the end when `closing` is empty (the body of a here-document). */
export function readDoubleQuoted(scanner: Scanner, builder: WordBuilder, closing: '"' | ''): void {
  pushPart(builder, 'text', '')
  while (!isDone(scanner)) {
    const run = matchHere(scanner, doubleQuotedRun)
    if (run !== null) {
      scanner.at += run.length
      pushPart(builder, 'text', run)
      continue
    }
    const char = peek(scanner)
    if (char === '"' && closing === '"') {
      scanner.at += 1
      return
    }
    if (char === '`') readBackticks(scanner, builder)
    else if (char === '$') readExpansion(scanner, builder)
    else if (char === '\\') readDoubleQuotedEscape(scanner, builder)
    else {
      scanner.at += 1
      pushPart(builder, 'text', char)
    }
  }
  if (closing !== '') throw new NotUnderstood('a quote is not closed')
}

function readDoubleQuotedEscape(scanner: Scanner, builder: WordBuilder): void {
  const next = peek(scanner, 1)
  scanner.at += next === '' ? 1 : 2
  if (next === '\n') return
  pushPart(builder, 'text', '$`"\\'.includes(next) && next !== '' ? next : `\\${next}`)
}

/** `((…))` as a command. */
export function readArithmeticCommand(scanner: Scanner): WordBuilder {
  const builder = newWordBuilder()
  readArithmetic(scanner, builder, { open: '((', close: '))' })
  return builder
}

/** One character or quoted part inside an expansion. Only the commands in it matter. */
function readNested(scanner: Scanner, builder: WordBuilder): void {
  if (isDone(scanner)) throw new NotUnderstood('an expansion is not closed')
  const aside = { ...builder, parts: newWordBuilder().parts }
  const char = peek(scanner)
  if (char === '\\') scanner.at += 2
  // Whether a single quote quotes here depends on the context: a wrong guess would hide a command.
  else if (char === "'") throw new NotUnderstood('a single quote inside an expansion')
  else if (char === '"') {
    scanner.at += 1
    readDoubleQuoted(scanner, aside, '"')
  } else if (char === '`') readBackticks(scanner, aside)
  else if (char === '$') readExpansion(scanner, aside)
  else if ((char === '<' || char === '>') && peek(scanner, 1) === '(') readExpansion(scanner, aside)
  else scanner.at += 1
}

/**
 * `((` opens arithmetic if its inner parenthesis closes right before the outer one, and otherwise two subshells. Looks
 * ahead without parsing, so that nesting cannot multiply the work.
 */
export function isArithmetic(scanner: Scanner): boolean {
  let depth = 0
  for (let at = scanner.source.indexOf('((', scanner.at); at < scanner.source.length; at += 1) {
    const char = scanner.source[at]
    if (char === '\\') at += 1
    else if (char === "'" || char === '"') {
      const end = scanner.source.indexOf(char, at + 1)
      if (end === -1) return false
      at = end
    } else if (char === '(') depth += 1
    else if (char === ')') {
      depth -= 1
      if (depth === 1) return scanner.source[at + 1] === ')'
    }
  }
  return false
}

/** Numbers and operators: no names and no expansions. */
const isPlainArithmetic = (text: string): boolean => /^[\d\s+\-*/%()<>=!&|^~?:,;]*$/.test(text)

const parameterName = '(?:[A-Za-z_][A-Za-z0-9_]*|\\d+|[@*#?$!_-])'
const subscript = '(?:\\[(?:\\d+|[@*])\\])?'
const number = '\\s*-?\\d+\\s*'
/** A default, an error, a removed prefix or suffix, a replacement, a change of case, or a slice between two numbers. */
const operation = `(?::?[-+?][^]*|[#%/^,][^]*|:(?!-)${number}(?::${number})?)?`
const plainParameter = new RegExp(`^(?:#?${parameterName}${subscript}|${parameterName}${subscript}${operation})$`)
/** `!x` looks up the variable named by another one; `!` alone is a process id. */
const indirect = /^!./s

/**
 * Whether the inside of `${…}` only inserts a value. Any other expansion evaluates a value: the shell treats the
 * content of a variable as arithmetic, as a subscript or as a prompt, and each of these may run a command.
 */
const isPlainParameter = (body: string): boolean => plainParameter.test(body) && !indirect.test(body)
