// A piece of a document that is searched and shown on its own.

export interface Definition {
  readonly term: string
  readonly meaning: string
}

export interface Passage {
  readonly text: string
  /** The headings and clause numbers above it, outermost first. */
  readonly headings: readonly string[]
  /** The line where it begins in the file; `null` for records. */
  readonly line: number | null
  /** For a record: `row 3`, or its own id. */
  readonly row: string | null
  /** Shown with the text and not searched. */
  readonly details: Readonly<Record<string, string>>
  readonly definitions: readonly Definition[]
  /** Clauses and sections of the same document that it refers to, such as `4.2`. */
  readonly references: readonly string[]
}
