// What every kind of file is read into: headings and what stands below them, in the order of the file.

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly text: string; readonly line: number }
  /** A paragraph or a list, with the line breaks that matter. */
  | { readonly type: 'text'; readonly text: string; readonly line: number }
  | { readonly type: 'code'; readonly text: string; readonly line: number }
  | Table
  | RecordBlock

/** In lines. A log is one paragraph: part by part it is cut without holding up others, and its parts know their line. */
export const longestParagraph = 500

export interface Table {
  readonly type: 'table'
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly line: number
}

/** One row or object of a data file: found and shown by itself. */
export interface RecordBlock {
  readonly type: 'record'
  /** What is searched. */
  readonly text: string
  /** Shown beside the text and not searched. */
  readonly details: Readonly<Record<string, string>>
  /** `row 3`, or the record's own id. */
  readonly row: string
}
