// Markers in the instructions of an analysis: the server writes them, and the simulator's demo recognizes them.

/** Begins the instructions of an agent that writes a query and runs none. */
export const sqlWriterMark = 'You write one DuckDB query'

const [opening, closing] = ['<tables>', '</tables>'] as const

/** One JSON object per line. */
export const formatTableList = (lines: readonly string[]): string => [opening, ...lines, closing].join('\n')

/** The lines of the latest list. */
export function parseTableList(text: string): readonly string[] {
  const lists = text.matchAll(new RegExp(`${opening}\\n([\\s\\S]*?)\\n${closing}`, 'g'))
  return [...lists].at(-1)?.[1]?.split('\n') ?? []
}
