// A command line as the shell will read it: every simple command in it, wherever it hides. What this parser does not
// understand it says so about; whoever asks must then refuse.
import { parseRedirection, readHereDocs } from './parse-redirection.ts'
import { parseArray, parseWord } from './parse-word.ts'
import {
  descend,
  expectText,
  isDone,
  matchHere,
  NotUnderstood,
  openScanner,
  peek,
  type Scanner,
  skipBlanks,
  skipComment,
  startsWith,
} from './scanner.ts'
import { isArithmetic, readArithmeticCommand } from './shell-expansion.ts'
import type { Assignment, Redirection, SimpleCommand, Word } from './shell-syntax.ts'

export type ParsedLine =
  | { readonly type: 'commands'; readonly commands: readonly SimpleCommand[] }
  | { readonly type: 'not-understood'; readonly reason: string }

/** What Linux takes as one argument; the shell would not be started with more. */
const maxLength = 131_072

/** Never throws. `commands` are in the order they are written; those inside substitutions hang on their words. */
export function parseCommand(line: string): ParsedLine {
  if (line.length > maxLength) return { type: 'not-understood', reason: 'the line is too long' }
  if (line.includes('\u0000')) return { type: 'not-understood', reason: 'a NUL character' }
  const scanner = openScanner(line, parseScript)
  try {
    const commands = parseScript(scanner, isDone)
    if (!isDone(scanner)) throw new NotUnderstood(`"${peek(scanner)}" is not expected here`)
    readHereDocs(scanner)
    return { type: 'commands', commands }
  } catch (error) {
    if (error instanceof NotUnderstood) return { type: 'not-understood', reason: error.message }
    throw error
  }
}

/** Pipelines up to the end, or up to a place where `isEnd` holds at the start of a command. */
function parseScript(scanner: Scanner, isEnd: (scanner: Scanner) => boolean): SimpleCommand[] {
  const commands: SimpleCommand[] = []
  for (;;) {
    skipSeparators(scanner)
    if (isEnd(scanner) || isDone(scanner)) return commands
    const before = scanner.at
    commands.push(...parsePipeline(scanner))
    skipBlanks(scanner)
    if (startsWith(scanner, '&&') || startsWith(scanner, '||')) {
      scanner.at += 2
      skipSeparators(scanner)
    } else if (startsWith(scanner, ';;') || startsWith(scanner, ';&')) {
      if (isEnd(scanner)) return commands
      throw new NotUnderstood('";;" outside of case')
    } else if (scanner.at === before) {
      throw new NotUnderstood(`"${peek(scanner)}" is not expected here`)
    }
  }
}

function skipSeparators(scanner: Scanner): void {
  for (;;) {
    skipBlanks(scanner)
    skipComment(scanner)
    const char = peek(scanner)
    const isSeparator =
      (char === ';' && peek(scanner, 1) !== ';' && peek(scanner, 1) !== '&') ||
      (char === '&' && peek(scanner, 1) !== '&' && peek(scanner, 1) !== '>')
    if (char !== '\n' && !isSeparator) return
    scanner.at += 1
    if (char === '\n') readHereDocs(scanner)
  }
}

function parsePipeline(scanner: Scanner): SimpleCommand[] {
  let upstream: SimpleCommand[] = []
  for (;;) {
    const element = parseElement(scanner)
    const piped =
      upstream.length === 0
        ? element
        : element.map((command) => ({ ...command, pipedFrom: [...upstream, ...command.pipedFrom] }))
    upstream = [...upstream, ...piped]
    skipBlanks(scanner)
    if (peek(scanner) !== '|' || peek(scanner, 1) === '|') return upstream
    scanner.at += startsWith(scanner, '|&') ? 2 : 1
    skipNewlines(scanner)
  }
}

function skipNewlines(scanner: Scanner): void {
  for (;;) {
    skipBlanks(scanner)
    skipComment(scanner)
    if (peek(scanner) !== '\n') return
    scanner.at += 1
    readHereDocs(scanner)
  }
}

const delimiterAhead = '(?=[\\s;&|()<>]|$)'
const reserved = new RegExp(`(?:[a-z]+|\\[\\[|[{}!])${delimiterAhead}`, 'y')
const timeOptions = /(?:[ \t]+-p)*/y

/** One element of a pipeline: a simple command or a compound one. */
function parseElement(scanner: Scanner): SimpleCommand[] {
  skipBlanks(scanner)
  if (peek(scanner) === '(') return withRedirections(scanner, parseParentheses(scanner))
  const word = matchHere(scanner, reserved)
  switch (word) {
    case '!':
    case 'time':
    case 'coproc':
      scanner.at += word.length
      if (word === 'time') scanner.at += matchHere(scanner, timeOptions)?.length ?? 0
      return parseElement(scanner)
    case '{':
      return withRedirections(scanner, parseBlock(scanner, { open: '{', close: '}' }))
    case 'if':
      return withRedirections(scanner, parseIf(scanner))
    case 'while':
    case 'until':
      return withRedirections(scanner, parseLoop(scanner, word))
    case 'for':
    case 'select':
      return withRedirections(scanner, parseFor(scanner, word))
    case 'case':
      return withRedirections(scanner, parseCase(scanner))
    case 'function':
      return parseFunctionKeyword(scanner)
    case '[[':
      return withRedirections(scanner, parseTest(scanner))
    case '}':
    case 'then':
    case 'else':
    case 'elif':
    case 'fi':
    case 'do':
    case 'done':
    case 'in':
    case 'esac':
      throw new NotUnderstood(`"${word}" is not expected here`)
    default:
      return parseSimple(scanner)
  }
}

const keywordAt =
  (...keywords: readonly string[]) =>
  (scanner: Scanner): boolean => {
    const word = matchHere(scanner, reserved)
    return word !== null && keywords.includes(word)
  }

function expectKeyword(scanner: Scanner, keyword: string): void {
  if (!keywordAt(keyword)(scanner)) throw new NotUnderstood(`"${keyword}" is missing`)
  scanner.at += keyword.length
}

function parseBlock(scanner: Scanner, ends: { open: string; close: string }): SimpleCommand[] {
  return nested(scanner, (inner) => {
    inner.at += ends.open.length
    const commands = parseScript(inner, keywordAt(ends.close))
    expectKeyword(inner, ends.close)
    return commands
  })
}

/** Here-documents opened inside a block may be filled after it: the list is shared, unlike in a substitution. */
function nested<Result>(scanner: Scanner, parse: (inner: Scanner) => Result): Result {
  return descend(scanner, (inner) => {
    const shared: Scanner = { ...inner, hereDocs: scanner.hereDocs }
    const result = parse(shared)
    inner.at = shared.at
    return result
  })
}

function parseParentheses(scanner: Scanner): SimpleCommand[] {
  if (startsWith(scanner, '((') && isArithmetic(scanner)) return readArithmeticCommand(scanner).inner
  return nested(scanner, (inner) => {
    inner.at += 1
    const commands = parseScript(inner, (place) => peek(place) === ')')
    expectText(inner, ')')
    return commands
  })
}

function parseIf(scanner: Scanner): SimpleCommand[] {
  return nested(scanner, (inner) => {
    const commands: SimpleCommand[] = []
    expectKeyword(inner, 'if')
    for (;;) {
      commands.push(...parseScript(inner, keywordAt('then')))
      expectKeyword(inner, 'then')
      commands.push(...parseScript(inner, keywordAt('elif', 'else', 'fi')))
      if (!keywordAt('elif')(inner)) break
      expectKeyword(inner, 'elif')
    }
    if (keywordAt('else')(inner)) {
      expectKeyword(inner, 'else')
      commands.push(...parseScript(inner, keywordAt('fi')))
    }
    expectKeyword(inner, 'fi')
    return commands
  })
}

function parseLoop(scanner: Scanner, keyword: string): SimpleCommand[] {
  return nested(scanner, (inner) => {
    expectKeyword(inner, keyword)
    const condition = parseScript(inner, keywordAt('do'))
    return [...condition, ...parseBlock(inner, { open: 'do', close: 'done' })]
  })
}

function parseFor(scanner: Scanner, keyword: string): SimpleCommand[] {
  return nested(scanner, (inner) => {
    const commands: SimpleCommand[] = []
    expectKeyword(inner, keyword)
    skipBlanks(inner)
    if (startsWith(inner, '((')) {
      commands.push(...readArithmeticCommand(inner).inner)
    } else {
      if (parseWord(inner).source === '') throw new NotUnderstood('a loop without a variable')
      skipNewlines(inner)
      if (keywordAt('in')(inner)) {
        expectKeyword(inner, 'in')
        commands.push(...parseWords(inner).flatMap((word) => word.inner))
      }
    }
    skipSeparators(inner)
    if (!keywordAt('do')(inner)) throw new NotUnderstood('"do" is missing')
    return [...commands, ...parseBlock(inner, { open: 'do', close: 'done' })]
  })
}

function parseWords(scanner: Scanner): Word[] {
  const words: Word[] = []
  for (;;) {
    skipBlanks(scanner)
    const word = parseWord(scanner)
    if (word.source === '') return words
    words.push(word)
  }
}

function parseCase(scanner: Scanner): SimpleCommand[] {
  return nested(scanner, (inner) => {
    expectKeyword(inner, 'case')
    skipBlanks(inner)
    const commands: SimpleCommand[] = [...parseWord(inner).inner]
    skipNewlines(inner)
    expectKeyword(inner, 'in')
    for (;;) {
      skipSeparators(inner)
      if (keywordAt('esac')(inner)) break
      commands.push(...parseCasePattern(inner))
      const isEnd = (place: Scanner) => startsWith(place, ';;') || startsWith(place, ';&') || keywordAt('esac')(place)
      commands.push(...parseScript(inner, isEnd))
      const end = matchHere(inner, /;;&|;;|;&/y)
      if (end === null && !keywordAt('esac')(inner)) throw new NotUnderstood('"esac" is missing')
      inner.at += end?.length ?? 0
    }
    expectKeyword(inner, 'esac')
    return commands
  })
}

function parseCasePattern(scanner: Scanner): SimpleCommand[] {
  const commands: SimpleCommand[] = []
  if (peek(scanner) === '(') scanner.at += 1
  for (;;) {
    skipBlanks(scanner)
    const word = parseWord(scanner)
    commands.push(...word.inner)
    skipBlanks(scanner)
    const next = peek(scanner)
    if (word.source === '' || (next !== '|' && next !== ')')) throw new NotUnderstood('a case that does not end')
    scanner.at += 1
    if (next === ')') return commands
  }
}

/** `[[ … ]]`: its operators are no pipes and no redirections. */
function parseTest(scanner: Scanner): SimpleCommand[] {
  const start = scanner.at
  const words: Word[] = []
  for (;;) {
    skipNewlines(scanner)
    const operator = matchHere(scanner, /&&|\|\||[()<>|&;](?!\()/y)
    if (operator !== null && operator !== ';' && operator !== '&') {
      scanner.at += operator.length
      continue
    }
    const word = parseWord(scanner)
    if (word.source === '') throw new NotUnderstood('"]]" is missing')
    words.push(word)
    if (word.source === ']]') break
  }
  return [newCommand(scanner, start, { words, assignments: [], redirections: [] })]
}

function parseFunctionKeyword(scanner: Scanner): SimpleCommand[] {
  expectKeyword(scanner, 'function')
  skipBlanks(scanner)
  if (parseWord(scanner).source === '') throw new NotUnderstood('a function without a name')
  skipBlanks(scanner)
  if (matchHere(scanner, /\([ \t]*\)/y) !== null) expectParentheses(scanner)
  return parseFunctionBody(scanner)
}

function expectParentheses(scanner: Scanner): void {
  expectText(scanner, '(')
  skipBlanks(scanner)
  expectText(scanner, ')')
}

function parseFunctionBody(scanner: Scanner): SimpleCommand[] {
  return nested(scanner, (inner) => {
    skipNewlines(inner)
    if (peek(inner) !== '(' && !keywordAt('{', 'if', 'while', 'until', 'for', 'case', '[[')(inner)) {
      throw new NotUnderstood('a function without a body')
    }
    return parseElement(inner)
  })
}

const assignmentStart = /[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]\s$`'"\\]*\])?\+?=/y

function parseSimple(scanner: Scanner): SimpleCommand[] {
  const start = scanner.at
  const words: Word[] = []
  const assignments: Assignment[] = []
  const redirections: Redirection[] = []
  let end = start
  for (;;) {
    skipBlanks(scanner)
    if (peek(scanner) === '#') break
    const redirection = parseRedirection(scanner, start)
    const assignment = redirection === null && words.length === 0 ? parseAssignment(scanner) : null
    if (redirection !== null) redirections.push(redirection)
    else if (assignment !== null) assignments.push(assignment)
    else if (peek(scanner) === '(') {
      if (words.length !== 1 || assignments.length + redirections.length > 0)
        throw new NotUnderstood('"(" after a word')
      expectParentheses(scanner)
      return parseFunctionBody(scanner)
    } else {
      const word = parseWord(scanner)
      if (word.source === '') break
      words.push(word)
    }
    end = scanner.at
  }
  if (end === start) throw new NotUnderstood(`"${peek(scanner)}" is not expected here`)
  return [newCommand({ ...scanner, at: end }, start, { words, assignments, redirections })]
}

function parseAssignment(scanner: Scanner): Assignment | null {
  const name = matchHere(scanner, assignmentStart)
  if (name === null) return null
  scanner.at += name.length
  return { name: name.replace(/\+?=$/, ''), value: peek(scanner) === '(' ? parseArray(scanner) : parseWord(scanner) }
}

function newCommand(
  scanner: Scanner,
  start: number,
  parts: Pick<SimpleCommand, 'words' | 'assignments' | 'redirections'>,
): SimpleCommand {
  scanner.budget.commands -= 1
  if (scanner.budget.commands < 0) throw new NotUnderstood('too many commands')
  return { source: scanner.source.slice(start, scanner.at), ...parts, pipedFrom: [] }
}

/** What a group is redirected to becomes a command without words, so that nobody overlooks it. */
function withRedirections(scanner: Scanner, commands: SimpleCommand[]): SimpleCommand[] {
  skipBlanks(scanner)
  const start = scanner.at
  const redirections: Redirection[] = []
  let end = start
  for (;;) {
    skipBlanks(scanner)
    const redirection = parseRedirection(scanner, start)
    if (redirection === null) break
    redirections.push(redirection)
    end = scanner.at
  }
  if (redirections.length === 0) return commands
  return [...commands, newCommand({ ...scanner, at: end }, start, { words: [], assignments: [], redirections })]
}
