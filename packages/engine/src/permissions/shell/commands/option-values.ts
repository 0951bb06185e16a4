// Options and operands of a command, parsed as most programs do.
import type { Word } from '../parser/shell-syntax.ts'

export interface OptionNames {
  /** Letters, alone or at the end of a cluster. */
  readonly short?: string
  /** Without the dashes. Any prefix counts: programs accept `--target` for `--target-directory`. */
  readonly long?: readonly string[]
}

/** Words that are not options, and everything after `--`. */
export function operands(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex((word) => word.text === '--')
  const before = end === -1 ? args : args.slice(0, end)
  return [...before.filter((word) => !word.text.startsWith('-') || word.text === '-'), ...args.slice(before.length + 1)]
}

/** Values of an option, attached (`-ofile`, `--output=file`) or as the next word. */
export function optionValues(args: readonly Word[], { short = '', long = [] }: OptionNames): readonly Word[] {
  const isLong = (name: string) => long.some((full) => full.startsWith(name))
  return args.flatMap((word, index) => {
    const next = args[index + 1]
    const { text } = word
    if (text.startsWith('--')) {
      const [name = ''] = text.slice(2).split('=', 1)
      if (name === '' || !isLong(name)) return []
      if (text.includes('=')) return [withoutPrefix(word, text.indexOf('=') + 1)]
      return next === undefined ? [] : [next]
    }
    const at = valueAt(text, short)
    if (at === null) return []
    if (at < text.length) return [withoutPrefix(word, at)]
    return next === undefined ? [] : [next]
  })
}

/** In `-sSLofile` the value starts after `-sSLo`. */
function valueAt(text: string, letters: string): number | null {
  if (!text.startsWith('-')) return null
  for (let at = 1; at < Math.min(text.length, 12); at += 1) {
    const char = text[at] ?? ''
    if (letters.includes(char)) return at + 1
    if (!/[a-zA-Z0-9#]/.test(char)) return null
  }
  return null
}

export function withoutPrefix(word: Word, length: number): Word {
  const text = word.text.slice(length)
  return { ...word, text, startsWithTilde: text.startsWith('~') }
}

/** A target that is not literal. */
export const notWritten = (word: Word): Word => ({ ...word, isLiteral: false, isPath: false })
