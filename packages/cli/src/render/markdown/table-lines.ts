import type { Tokens } from 'marked'
import { inlinePieces, type Piece, paint, widthOf, wrapPieces } from './inline-text.ts'
import type { RenderContext } from './render-context.ts'

const gap = '  '
const minColumnWidth = 6

/** Cells wrap within their columns; a table whose columns do not fit becomes one record for each row. */
export function tableLines(table: Tokens.Table, { palette, width }: RenderContext): readonly string[] {
  const head = table.header.map(({ tokens }) => inlinePieces(tokens, palette, ['bold']))
  const rows = table.rows.map((row) => row.map(({ tokens }) => inlinePieces(tokens, palette)))
  const natural = head.map((cell, at) => Math.max(1, ...[cell, ...rows.map((row) => row[at] ?? [])].map(widthOf)))
  const columns = fitColumns(natural, width - gap.length * (natural.length - 1))
  if (columns === null) return records(head, rows, { palette, width })
  const line = (cells: readonly (readonly Piece[])[]): readonly string[] => {
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
  head: readonly (readonly Piece[])[],
  rows: readonly (readonly (readonly Piece[])[])[],
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
