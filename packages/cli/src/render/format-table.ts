/** One line for each row, with aligned columns. Columns of numbers are aligned to the right. */
export function formatTable(
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = () => false,
): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const padded = (cell: string, column: number): string =>
    isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}
