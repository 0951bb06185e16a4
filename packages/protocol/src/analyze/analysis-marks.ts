// What the instructions of an analysis are recognised by: the server writes them, and the demo of the simulator, which
// plays the model, finds its way by them.

/** Begins the instructions of whoever writes a query and runs none. */
export const sqlWriterMark = 'You write one DuckDB query'

const [opening, closing] = ['<tables>', '</tables>'] as const

/** One JSON object a line. */
export const formatTableList = (lines: readonly string[]): string => [opening, ...lines, closing].join('\n')

/** The lines of the list that was told last. */
export function parseTableList(text: string): readonly string[] {
  const lists = text.matchAll(new RegExp(`${opening}\\n([\\s\\S]*?)\\n${closing}`, 'g'))
  return [...lists].at(-1)?.[1]?.split('\n') ?? []
}
