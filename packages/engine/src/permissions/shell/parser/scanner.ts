// A position in a command line, shared by the parsers of lists and of words.
import type { SimpleCommand } from './shell-syntax.ts'

/** Used inside the parser only: `parseCommand` turns it into a result. */
export class NotUnderstood extends Error {}

export interface PendingHereDoc {
  readonly delimiter: string
  readonly isQuoted: boolean
  readonly stripsTabs: boolean
  readonly fill: (body: string) => void
}

export interface Scanner {
  readonly source: string
  at: number
  readonly depth: number
  readonly hereDocs: PendingHereDoc[]
  /** Shared with nested scanners: limits the work for one line. */
  readonly budget: { commands: number }
  readonly parseScript: (scanner: Scanner, isEnd: (scanner: Scanner) => boolean) => SimpleCommand[]
}

const maxDepth = 40
const maxCommands = 2000

export function openScanner(source: string, parseScript: Scanner['parseScript']): Scanner {
  return { source, at: 0, depth: 0, hereDocs: [], budget: { commands: maxCommands }, parseScript }
}

/** A scanner for nested text: a substitution in backticks, the body of a here-document. */
export function nestedScanner(scanner: Scanner, source: string): Scanner {
  return { ...scanner, ...deeper(scanner), source, at: 0, hereDocs: [] }
}

/** Runs `parse` one nesting level down on the same text. */
export function descend<Result>(scanner: Scanner, parse: (inner: Scanner) => Result): Result {
  const inner: Scanner = { ...scanner, ...deeper(scanner), hereDocs: [] }
  const result = parse(inner)
  if (inner.hereDocs.length > 0) throw new NotUnderstood('a here-document without a body')
  scanner.at = inner.at
  return result
}

function deeper(scanner: Scanner): { depth: number } {
  if (scanner.depth >= maxDepth) throw new NotUnderstood('nested too deeply')
  return { depth: scanner.depth + 1 }
}

export const peek = (scanner: Scanner, ahead = 0): string => scanner.source[scanner.at + ahead] ?? ''
export const isDone = (scanner: Scanner): boolean => scanner.at >= scanner.source.length
export const startsWith = (scanner: Scanner, text: string): boolean => scanner.source.startsWith(text, scanner.at)

export function expectText(scanner: Scanner, text: string): void {
  if (!startsWith(scanner, text)) throw new NotUnderstood(`"${text}" is missing`)
  scanner.at += text.length
}

/** The text that a sticky pattern matches here, or null. */
export function matchHere(scanner: Scanner, pattern: RegExp): string | null {
  pattern.lastIndex = scanner.at
  return pattern.exec(scanner.source)?.[0] ?? null
}

export function skipBlanks(scanner: Scanner): void {
  for (;;) {
    const char = peek(scanner)
    if (char === ' ' || char === '\t') scanner.at += 1
    else if (char === '\\' && peek(scanner, 1) === '\n') scanner.at += 2
    else return
  }
}

export function skipComment(scanner: Scanner): void {
  if (peek(scanner) !== '#') return
  const end = scanner.source.indexOf('\n', scanner.at)
  scanner.at = end === -1 ? scanner.source.length : end
}
