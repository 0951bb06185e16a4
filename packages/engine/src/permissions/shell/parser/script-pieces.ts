// Shared by the parsers of simple and compound commands: separators, keywords, nesting.
import { readHereDocs } from './parse-redirection.ts'
import { descend, matchHere, NotUnderstood, peek, type Scanner, skipBlanks, skipComment } from './scanner.ts'
import type { SimpleCommand } from './shell-syntax.ts'

export function skipSeparators(scanner: Scanner): void {
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

export function skipNewlines(scanner: Scanner): void {
  for (;;) {
    skipBlanks(scanner)
    skipComment(scanner)
    if (peek(scanner) !== '\n') return
    scanner.at += 1
    readHereDocs(scanner)
  }
}

const delimiterAhead = '(?=[\\s;&|()<>]|$)'
export const reserved = new RegExp(`(?:[a-z]+|\\[\\[|[{}!])${delimiterAhead}`, 'y')

export const keywordAt =
  (...keywords: readonly string[]) =>
  (scanner: Scanner): boolean => {
    const word = matchHere(scanner, reserved)
    return word !== null && keywords.includes(word)
  }

export function expectKeyword(scanner: Scanner, keyword: string): void {
  if (!keywordAt(keyword)(scanner)) throw new NotUnderstood(`"${keyword}" is missing`)
  scanner.at += keyword.length
}

/** Here-documents opened inside a block may be read after it: the list is shared, unlike in a substitution. */
export function nested<Result>(scanner: Scanner, parse: (inner: Scanner) => Result): Result {
  return descend(scanner, (inner) => {
    const shared: Scanner = { ...inner, hereDocs: scanner.hereDocs }
    const result = parse(shared)
    inner.at = shared.at
    return result
  })
}

export function newCommand(
  scanner: Scanner,
  start: number,
  parts: Pick<SimpleCommand, 'words' | 'assignments' | 'redirections'>,
): SimpleCommand {
  scanner.budget.commands -= 1
  if (scanner.budget.commands < 0) throw new NotUnderstood('too many commands')
  return { source: scanner.source.slice(start, scanner.at), ...parts, pipedFrom: [] }
}
