// A word that is being parsed.
import type { SimpleCommand, Word, WordPart } from './shell-syntax.ts'

export interface WordBuilder {
  readonly parts: { type: WordPart['type']; text: string }[]
  readonly inner: SimpleCommand[]
  /** Shared with nested parts: see `Word.evaluates`. */
  readonly found: { evaluates: boolean }
}

export const newWordBuilder = (): WordBuilder => ({ parts: [], inner: [], found: { evaluates: false } })

export function pushPart(builder: WordBuilder, type: WordPart['type'], text: string): void {
  const last = builder.parts.at(-1)
  if (last?.type === type && type !== 'hole') last.text += text
  else builder.parts.push({ type, text })
}

/** `isFilled`: the shell expands the whole word to something else, such as several words from braces. */
export function finishWord(
  source: string,
  builder: WordBuilder,
  found: { isFilled: boolean; hasBrackets: boolean },
): Word {
  const text = builder.parts.map((part) => part.text).join('')
  const parts: WordPart[] = builder.parts
  const types = new Set(parts.map((part) => part.type))
  const shown: readonly WordPart[] = found.isFilled
    ? [{ type: 'hole', text }]
    : found.hasBrackets
      ? globbed(parts)
      : parts
  return {
    source,
    text,
    parts: shown,
    isLiteral: !found.isFilled && !found.hasBrackets && !types.has('hole') && !types.has('glob'),
    isPath: !found.isFilled && !types.has('hole'),
    startsWithTilde: source.startsWith('~'),
    evaluates: builder.found.evaluates,
    inner: builder.inner,
  }
}

const globbed = (parts: readonly WordPart[]): readonly WordPart[] =>
  parts.map((part) => (part.type === 'text' && part.text.includes('[') ? { type: 'glob', text: part.text } : part))
