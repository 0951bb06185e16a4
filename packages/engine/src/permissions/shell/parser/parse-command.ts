// Parses a command line as the shell would: every simple command in it, wherever it is. The parser reports a line that
// it does not understand, and callers must then refuse it.
import { parseBlock, parseCase, parseFor, parseIf, parseLoop, parseParentheses, parseTest } from './parse-compound.ts'
import { parseRedirection, readHereDocs } from './parse-redirection.ts'
import { parseArray, parseWord } from './parse-word.ts'
import {
  expectText,
  isDone,
  matchHere,
  NotUnderstood,
  openScanner,
  peek,
  type Scanner,
  skipBlanks,
  startsWith,
} from './scanner.ts'
import {
  expectKeyword,
  keywordAt,
  nested,
  newCommand,
  reserved,
  skipNewlines,
  skipSeparators,
} from './script-pieces.ts'
import type { Assignment, Redirection, SimpleCommand, Word } from './shell-syntax.ts'

export type ParsedLine =
  | { readonly type: 'commands'; readonly commands: readonly SimpleCommand[] }
  | { readonly type: 'not-understood'; readonly reason: string }

/** The longest argument on Linux; the shell could not be started with more. */
const maxLength = 131_072

/** Never throws. `commands` are in source order; those inside substitutions belong to their words. */
export function parseCommand(line: string): ParsedLine {
  if (line.length > maxLength) return { type: 'not-understood', reason: 'the line is too long' }
  if (line.includes('\u0000')) return { type: 'not-understood', reason: 'a NUL character' }
  const scanner = openScanner(line, parseScript)
  try {
    const commands = parseScript(scanner, isDone)
    if (!isDone(scanner)) throw new NotUnderstood(`"${peek(scanner)}" is unexpected here`)
    readHereDocs(scanner)
    return { type: 'commands', commands }
  } catch (error) {
    if (error instanceof NotUnderstood) return { type: 'not-understood', reason: error.message }
    throw error
  }
}

/** Pipelines up to the end, or up to a position where `isEnd` is true at the start of a command. */
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
      throw new NotUnderstood(`"${peek(scanner)}" is unexpected here`)
    }
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

const timeKeyword = /time(?:[ \t]+-p(?=\s|$))*(?:[ \t]+--(?=\s|$))?/y
const timeProgram = /time(?:[ \t]+-p(?=\s))*[ \t]+-(?!p\s|-\s)/y

/** One element of a pipeline: a simple command or a compound one. */
function parseElement(scanner: Scanner): SimpleCommand[] {
  skipBlanks(scanner)
  if (peek(scanner) === '(') return withRedirections(scanner, parseParentheses(scanner))
  const word = matchHere(scanner, reserved)
  switch (word) {
    case 'time':
      // Before any other option, `time` is the program of that name.
      if (matchHere(scanner, timeProgram) !== null) return parseSimple(scanner)
      scanner.at += matchHere(scanner, timeKeyword)?.length ?? 0
      return parseElement(scanner)
    case '!':
    case 'coproc':
      scanner.at += word.length
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
      throw new NotUnderstood(`"${word}" is unexpected here`)
    default:
      return parseSimple(scanner)
  }
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
  if (end === start) throw new NotUnderstood(`"${peek(scanner)}" is unexpected here`)
  return [newCommand({ ...scanner, at: end }, start, { words, assignments, redirections })]
}

function parseAssignment(scanner: Scanner): Assignment | null {
  const name = matchHere(scanner, assignmentStart)
  if (name === null) return null
  scanner.at += name.length
  return { name: name.replace(/\+?=$/, ''), value: peek(scanner) === '(' ? parseArray(scanner) : parseWord(scanner) }
}

/** The redirections of a group become a command without words, so that they are checked too. */
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
