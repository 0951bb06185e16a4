// The cell that proves a number of an answer.

/** Index of a row of the step, from 0. */
export interface CellAddress {
  readonly step: number
  readonly row: number
  readonly column: string
}

/** The source of a number: a cell, or the row count of a step. */
export type Proof = CellAddress | { readonly step: number; readonly rowCount: number }

export const isCell = (proof: Proof): proof is CellAddress => 'column' in proof

/** A part of an answer: text, or a number with its proof. `proof: null` marks a number without a source. */
export type AnswerPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string; readonly proof: Proof | null }
