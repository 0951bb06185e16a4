// One block of Markdown as lines for a terminal.
import type { Token, Tokens } from 'marked'
import type { Palette } from '../palette.ts'
import { displayWidth } from './display-width.ts'
import { inlinePieces, type Piece, paint, wrapPieces } from './inline-text.ts'
import type { RenderContext } from './render-context.ts'
import { tableLines } from './table-lines.ts'

export function blockLines(token: Token, context: RenderContext): readonly string[] {
  const { palette, width } = context
  const known = token as Tokens.Generic // the union of marked ends with an open type, which hides the fields
  switch (known.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading': {
      const marks: Piece = { text: `${'#'.repeat(known.depth)} `, styles: ['bold'] }
      return textLines([marks, ...inlinePieces(known.tokens ?? [], palette, ['bold'])], context)
    }
    case 'code':
      return codeLines(known.text, known.lang ?? '', palette)
    case 'list':
      return (token as Tokens.List).items.flatMap((item, at) => itemLines(token as Tokens.List, { item, at }, context))
    case 'table':
      return tableLines(token as Tokens.Table, context)
    case 'blockquote':
      return blocksLines(known.tokens ?? [], { palette, width: width - 2 }).map((line) => `${palette.dim('│')} ${line}`)
    case 'hr':
      return [palette.dim('─'.repeat(Math.min(Math.max(minWidth, width), 40)))]
    case 'html':
      return known.text.trimEnd().split('\n')
    default:
      return textLines(inlinePieces(known.tokens ?? [token], palette), context)
  }
}

/** With an empty line between blocks. */
export function blocksLines(tokens: readonly Token[], context: RenderContext): readonly string[] {
  return tokens
    .map((token) => blockLines(token, context))
    .filter(({ length }) => length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

/** Unwrapped, so that a command can be copied. */
function codeLines(text: string, lang: string, palette: Palette): readonly string[] {
  const isDiff = /^(?:diff|patch)\b/.test(lang)
  const colour = (line: string): string => {
    if (!isDiff) return palette.accent(line)
    if (line.startsWith('+')) return palette.good(line)
    if (line.startsWith('-')) return palette.bad(line)
    return line.startsWith('@@') ? palette.accent(line) : line
  }
  return text.split('\n').map((line) => (line === '' ? '' : `    ${colour(line)}`))
}

export function itemLines(
  { ordered, start }: Tokens.List,
  { item, at }: { readonly item: Tokens.ListItem; readonly at: number },
  { palette, width }: RenderContext,
): readonly string[] {
  const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : ''
  const mark = `${ordered ? `${Number(start) + at}.` : '•'} ${box}`
  const hang = displayWidth(mark)
  const inner = item.tokens.flatMap((token) => blockLines(token, { palette, width: width - hang }))
  const lines = inner.length === 0 ? [''] : inner
  return lines.map((line, index) => (index === 0 ? palette.accent(mark) : ' '.repeat(hang)) + line)
}

/** Deeply nested blocks stay readable. */
const minWidth = 10

/** Line breaks of the source stay: models write addresses and short lists that way. */
function textLines(pieces: readonly Piece[], { palette, width }: RenderContext): readonly string[] {
  return wrapPieces(pieces, { width: Math.max(minWidth, width), longWords: 'overflow' }).map((line) =>
    paint(line, palette),
  )
}
