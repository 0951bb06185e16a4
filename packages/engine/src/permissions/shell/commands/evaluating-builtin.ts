// Shell builtins that treat their arguments as more than text: a subscript or an arithmetic expression in a literal
// word runs the code in it, and a few builtins install code for later.
import type { Word } from '../parser/shell-syntax.ts'
import { carriesCode, isCounted } from './code-variables.ts'

/** Whether the command `name` may run something that its words do not show as a command. */
export function evaluatesArguments(name: string, args: readonly Word[]): boolean {
  switch (name) {
    case 'let':
    case 'compgen':
    case 'complete':
    case 'fc':
    case 'bind':
      return args.length > 0
    case 'test':
    case '[':
    case '[[':
      return evaluatesInTest(name, args)
    case 'declare':
    case 'typeset':
    case 'local':
    case 'export':
    case 'readonly':
    case 'integer':
    case 'float':
      return name === 'integer' || name === 'float' || evaluatesDeclaration(name, args)
    case 'read':
    case 'unset':
    case 'getopts':
    case 'wait':
      return args.some((word) => !isNumber(word) && !isPlainName(word))
    case 'mapfile':
    case 'readarray':
      return args.some((word) => !isPlainName(word) || /^-[a-zA-Z]*C/.test(word.text))
    case 'printf':
    case 'print':
      return startsWithOption(args[0])
    case 'alias':
      return args.some((word) => !word.isLiteral || word.text.includes('='))
    case 'hash':
      return args.some((word) => !word.isLiteral || /^-[a-z]*p/.test(word.text))
    case 'enable':
      return args.some((word) => !word.isLiteral || /^-[a-z]*f/.test(word.text))
    default:
      return false
  }
}

/** Names a variable at most: without a subscript, and not one that the shell itself reads. */
const isPlainName = (word: Word): boolean =>
  word.isLiteral && !word.text.includes('[') && !carriesCode(word.text) && !isCounted(word.text)

/** `-i` makes every value arithmetic, `-n` a name that is looked up. A subscript is evaluated at once. */
function evaluatesDeclaration(name: string, args: readonly Word[]): boolean {
  const options = args.filter((word) => /^[-+]/.test(word.text))
  if (options.some((word) => !word.isLiteral || /^[-+][a-zA-Z]*[inEF]/.test(word.text))) return true
  // A value that starts with `(` and is assigned to an array is parsed as a list of words, even an inserted one.
  const mayFillArray =
    !['export', 'readonly'].includes(name) || options.some((word) => /^-[a-zA-Z]*[aA]/.test(word.text))
  return args.some((word) => !options.includes(word) && isComputedDeclaration(word, mayFillArray))
}

function isComputedDeclaration(word: Word, mayFillArray: boolean): boolean {
  const [start] = word.parts
  const written = word.isLiteral ? word.text : start?.type === 'text' ? start.text : ''
  const { name, value } = /^(?<name>[A-Za-z_][A-Za-z0-9_]*)(?:\+?=(?<value>.*))?$/s.exec(written)?.groups ?? {}
  if (name === undefined || carriesCode(name)) return true
  if (isCounted(name) && !(word.isLiteral && /^\d*$/.test(value ?? ''))) return true
  if (word.isLiteral) return value?.startsWith('(') === true
  return value === undefined || (mayFillArray && value === '') || value.startsWith('(')
}

/** `printf -v name`, or a first word that the shell inserts. */
function startsWithOption(word: Word | undefined): boolean {
  const [start] = word?.parts ?? []
  if (start === undefined || word?.text === '--' || word?.text === '-') return false
  return start.type !== 'text' || start.text.startsWith('-') || (start.text === '' && word?.isLiteral === false)
}

const comparison = /^-(?:eq|ne|lt|le|gt|ge)$/
const ofVariable = /^-[vR]$/
const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A literal number, or a parameter that is always a number. */
const isNumber = (word: Word | undefined): boolean =>
  word !== undefined &&
  (word.isLiteral ? /^[-+]?\d+$/.test(word.text) : /^"?\$(?:[#?$!]|\{#[A-Za-z_][A-Za-z0-9_]*\})"?$/.test(word.source))

/** `test`, `[` and `[[`: some of their operators evaluate their operands. */
function evaluatesInTest(name: string, args: readonly Word[]): boolean {
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
