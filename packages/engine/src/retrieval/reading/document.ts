// The common form of all file types: headings and the content below them, in file order.

export type DocumentBlock =
  | { readonly type: 'heading'; readonly level: number; readonly text: string; readonly line: number }
  /** A paragraph or a list, with significant line breaks. */
  | { readonly type: 'text'; readonly text: string; readonly line: number }
  | { readonly type: 'code'; readonly text: string; readonly line: number }
  | Table
  | RecordBlock

/** In lines. A log file is one paragraph: it is yielded in parts, which keep their line and do not block others. */
export const longestParagraph = 500

export interface Table {
  readonly type: 'table'
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly line: number
}

/** One row or object of a data file, found and shown on its own. */
export interface RecordBlock {
  readonly type: 'record'
  /** The text that is searched. */
  readonly text: string
  /** Shown with the text and not searched. */
  readonly details: Readonly<Record<string, string>>
  /** `row 3`, or the record's own id. */
  readonly row: string
}
