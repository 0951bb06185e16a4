// One block of Markdown as lines for a terminal.
import type { Token, Tokens } from 'marked'
import type { Palette } from '../palette.ts'
import { displayWidth } from './display-width.ts'
import { inlinePieces, paint, type StyledPiece, widthOf, wrapPieces } from './inline-text.ts'

export interface RenderContext {
  readonly palette: Palette
  /** Columns. */
  readonly width: number
}

export function blockLines(token: Token, context: RenderContext): readonly string[] {
  const { palette, width } = context
  const known = token as Tokens.Generic // the union of marked ends with an open type, which hides the fields
  switch (known.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return []
    case 'heading': {
      const marks: StyledPiece = { text: `${'#'.repeat(known.depth)} `, styles: ['bold'] }
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
  const color = (line: string): string => {
    if (!isDiff) return palette.accent(line)
    if (line.startsWith('+')) return palette.good(line)
    if (line.startsWith('-')) return palette.bad(line)
    return line.startsWith('@@') ? palette.accent(line) : line
  }
  return text.split('\n').map((line) => (line === '' ? '' : `    ${color(line)}`))
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
function textLines(pieces: readonly StyledPiece[], { palette, width }: RenderContext): readonly string[] {
  return wrapPieces(pieces, { width: Math.max(minWidth, width), longWords: 'overflow' }).map((line) =>
    paint(line, palette),
  )
}

const gap = '  '
const minColumnWidth = 6

/** Cells wrap within their columns; a table whose columns do not fit becomes one record for each row. */
function tableLines(table: Tokens.Table, { palette, width }: RenderContext): readonly string[] {
  const head = table.header.map(({ tokens }) => inlinePieces(tokens, palette, ['bold']))
  const rows = table.rows.map((row) => row.map(({ tokens }) => inlinePieces(tokens, palette)))
  const natural = head.map((cell, at) => Math.max(1, ...[cell, ...rows.map((row) => row[at] ?? [])].map(widthOf)))
  const columns = fitColumns(natural, width - gap.length * (natural.length - 1))
  if (columns === null) return records(head, rows, { palette, width })
  const line = (cells: readonly (readonly StyledPiece[])[]): readonly string[] => {
    const wrapped = columns.map((column, at) => wrapPieces(cells[at] ?? [], { width: column, longWords: 'cut' }))
    const height = Math.max(...wrapped.map(({ length }) => length))
    return Array.from({ length: height }, (_, row) =>
      wrapped
        .map((cell, at) => {
          const pieces = cell[row] ?? []
          const padding = ' '.repeat(Math.max(0, (columns[at] ?? 0) - widthOf(pieces)))
          const text = paint(pieces, palette)
          return table.align[at] === 'right' ? padding + text : text + padding
        })
        .join(gap)
        .trimEnd(),
    )
  }
  const rule = palette.dim(columns.map((column) => '─'.repeat(column)).join(gap))
  return [...line(head), rule, ...rows.flatMap(line)]
}

/** Narrows the widest columns first; `null` if the columns do not fit at `minColumnWidth`. */
function fitColumns(natural: readonly number[], available: number): readonly number[] | null {
  const columns = [...natural]
  const sum = () => columns.reduce((total, column) => total + column, 0)
  while (sum() > available) {
    const widest = Math.max(...columns)
    if (widest <= minColumnWidth) return null
    columns[columns.indexOf(widest)] = widest - 1
  }
  return columns
}

function records(
  head: readonly (readonly StyledPiece[])[],
  rows: readonly (readonly (readonly StyledPiece[])[])[],
  { palette, width }: RenderContext,
): readonly string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.flatMap((cell, at) => {
      const pieces = [...(head[at] ?? []), { text: ': ', styles: [] }, ...cell]
      return wrapPieces(pieces, { width, longWords: 'overflow' }).map((line) => paint(line, palette))
    }),
  ])
}
