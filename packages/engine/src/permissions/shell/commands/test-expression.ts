// `test`, `[` and `[[`: some of their operators evaluate their operands.
import type { Word } from '../parser/shell-syntax.ts'

const comparison = /^-(?:eq|ne|lt|le|gt|ge)$/
const ofVariable = /^-[vR]$/
const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A literal number, or a parameter that is always a number. */
export const isNumber = (word: Word | undefined): boolean =>
  word !== undefined &&
  (word.isLiteral ? /^[-+]?\d+$/.test(word.text) : /^"?\$(?:[#?$!]|\{#[A-Za-z_][A-Za-z0-9_]*\})"?$/.test(word.source))

export function evaluatesInTest(name: string, args: readonly Word[]): boolean {
  const worksOut = args.some((word, index) => {
    if (!word.isLiteral) return false
    if (comparison.test(word.text)) return index > 0 && !(isNumber(args[index - 1]) && isNumber(args[index + 1]))
    const next = args[index + 1]
    return ofVariable.test(word.text) && next !== undefined && !(next.isLiteral && plainName.test(next.text))
  })
  // In `[[` an operator must be literal; elsewhere an inserted word may become one.
  return worksOut || (name !== '[[' && mayBecomeOperator(args))
}

function mayBecomeOperator(args: readonly Word[]): boolean {
  const words = args.filter((word, index) => index < args.length - 1 || word.text !== ']')
  if (words.every((word) => word.isLiteral || isNumber(word))) return false
  if (words.some((word) => !word.isLiteral && !isNumber(word) && !isQuoted(word))) return true
  const rest = words[0]?.text === '!' ? words.slice(1) : words
  const operator = rest.length === 2 ? rest[0] : rest.length === 3 ? rest[1] : undefined
  return rest.length > 1 && operator?.isLiteral !== true
}

/** Expands to a single word. */
const isQuoted = (word: Word): boolean => /^"[^"]*"$/.test(word.source) && !/[@*]/.test(word.text)
