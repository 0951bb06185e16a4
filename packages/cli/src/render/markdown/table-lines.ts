import type { Tokens } from 'marked'
import type { Palette } from '../palette.ts'
import { inlinePieces, type Piece, paint, widthOf, wrapPieces } from './inline-text.ts'

const gap = '  '
const narrowest = 6

/** Cells wrap within their columns; a table whose columns do not fit becomes one record for each row. */
export function tableLines(table: Tokens.Table, palette: Palette, width: number): readonly string[] {
  const head = table.header.map(({ tokens }) => inlinePieces(tokens, palette, ['bold']))
  const rows = table.rows.map((row) => row.map(({ tokens }) => inlinePieces(tokens, palette)))
  const natural = head.map((cell, at) => Math.max(1, ...[cell, ...rows.map((row) => row[at] ?? [])].map(widthOf)))
  const columns = fitted(natural, width - gap.length * (natural.length - 1))
  if (columns === null) return records(head, rows, { palette, width })
  const line = (cells: readonly (readonly Piece[])[]): readonly string[] => {
    const wrapped = columns.map((column, at) => wrapPieces(cells[at] ?? [], column, true))
    const height = Math.max(...wrapped.map(({ length }) => length))
    return Array.from({ length: height }, (_, row) =>
      wrapped
        .map((cell, at) => {
          const pieces = cell[row] ?? []
          const room = ' '.repeat(Math.max(0, (columns[at] ?? 0) - widthOf(pieces)))
          const text = paint(pieces, palette)
          return table.align[at] === 'right' ? room + text : text + room
        })
        .join(gap)
        .trimEnd(),
    )
  }
  const rule = palette.dim(columns.map((column) => '─'.repeat(column)).join(gap))
  return [...line(head), rule, ...rows.flatMap(line)]
}

/** Takes from the widest columns first; `null` where even narrow ones have no room. */
function fitted(natural: readonly number[], room: number): readonly number[] | null {
  const columns = [...natural]
  const sum = () => columns.reduce((total, column) => total + column, 0)
  while (sum() > room) {
    const widest = Math.max(...columns)
    if (widest <= narrowest) return null
    columns[columns.indexOf(widest)] = widest - 1
  }
  return columns
}

function records(
  head: readonly (readonly Piece[])[],
  rows: readonly (readonly (readonly Piece[])[])[],
  { palette, width }: { readonly palette: Palette; readonly width: number },
): readonly string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...row.flatMap((cell, at) => {
      const pieces = [...(head[at] ?? []), { text: ': ', styles: [] }, ...cell]
      return wrapPieces(pieces, width).map((line) => paint(line, palette))
    }),
  ])
}
