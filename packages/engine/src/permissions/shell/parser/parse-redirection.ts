// Redirections and their here-documents.
import { parseWord } from './parse-word.ts'
import { isDone, matchHere, NotUnderstood, nestedScanner, type Scanner, skipBlanks } from './scanner.ts'
import { readDoubleQuoted } from './shell-expansion.ts'
import type { Redirection, Word } from './shell-syntax.ts'
import { finishWord, newWordBuilder, pushPart } from './word-builder.ts'

const operatorHere = /(?:\d+|\{[A-Za-z_][A-Za-z0-9_]*\})?(?:<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|&>>|&>/y

/** `{a[x]}> file` evaluates `x`. */
const computedDescriptor = /\{[A-Za-z_][A-Za-z0-9_]*\[[^\s{}]*\]\}[<>]/y

/** The redirection that starts here, or null. Positions are relative to `commandStart`. */
export function parseRedirection(scanner: Scanner, commandStart: number): Redirection | null {
  if (matchHere(scanner, computedDescriptor) !== null) throw new NotUnderstood('a descriptor with a subscript')
  const found = matchHere(scanner, operatorHere)
  if (found === null) return null
  const start = scanner.at - commandStart
  const operator = found.replace(/^(?:\d+|\{\w+\})/, '')
  scanner.at += found.length
  const position = { operator, start, end: start + found.length }
  skipBlanks(scanner)
  const target = parseWord(scanner)
  if (target.source === '') throw new NotUnderstood('a redirection without a target')
  if (operator !== '<<' && operator !== '<<-') return { ...position, target }
  return { ...position, target: announceHereDoc(scanner, target, operator === '<<-') }
}

/** The body follows after the line: the word is set when it is read. */
function announceHereDoc(scanner: Scanner, delimiter: Word, stripsTabs: boolean): Word {
  if (!delimiter.isLiteral) throw new NotUnderstood('a here-document with a computed delimiter')
  const isQuoted = /['"\\]/.test(delimiter.source)
  const body: { -readonly [Key in keyof Word]: Word[Key] } = { ...delimiter }
  const fill = (text: string) => {
    const builder = newWordBuilder()
    if (isQuoted) pushPart(builder, 'text', text)
    else readDoubleQuoted(nestedScanner(scanner, text), builder, '')
    Object.assign(body, finishWord('', builder, { isFilled: false, hasBrackets: false }))
  }
  scanner.hereDocs.push({ delimiter: delimiter.text, isQuoted, stripsTabs, fill })
  return body
}

/** Reads the here-documents of the line that just ended. */
export function readHereDocs(scanner: Scanner): void {
  for (const hereDoc of scanner.hereDocs.splice(0)) {
    const lines: string[] = []
    while (!isDone(scanner)) {
      // With an unquoted delimiter, the shell joins continued lines before it looks for the end.
      const line = hereDoc.isQuoted ? readLine(scanner) : readContinuedLine(scanner)
      const text = hereDoc.stripsTabs ? line.replace(/^\t+/, '') : line
      if (text === hereDoc.delimiter) break
      lines.push(text)
    }
    hereDoc.fill(lines.join('\n'))
  }
}

function readLine(scanner: Scanner): string {
  const end = scanner.source.indexOf('\n', scanner.at)
  const line = scanner.source.slice(scanner.at, end === -1 ? scanner.source.length : end)
  scanner.at = end === -1 ? scanner.source.length : end + 1
  return line
}

function readContinuedLine(scanner: Scanner): string {
  let line = readLine(scanner)
  while (hasOpenBackslash(line) && !isDone(scanner)) line = line.slice(0, -1) + readLine(scanner)
  return line
}

function hasOpenBackslash(line: string): boolean {
  let count = 0
  while (line[line.length - 1 - count] === '\\') count += 1
  return count % 2 === 1
}
