// Which cell proves a number of an answer.

/** A row of the step's rows, from 0. */
export interface CellAddress {
  readonly step: number
  readonly row: number
  readonly column: string
}

/** A piece of an answer: words, or a number with the cell that proves it; `proof: null` is a number nothing proves. */
export type AnswerPiece =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string; readonly proof: CellAddress | null }
