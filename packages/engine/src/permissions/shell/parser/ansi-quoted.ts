// $'…': the only quotes in which escapes can produce any character.
import { NotUnderstood, type Scanner } from './scanner.ts'

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

/** Reads from `$'` past the closing quote. */
export function readAnsiQuoted(scanner: Scanner): string {
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
