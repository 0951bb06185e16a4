// Which cell proves a number of an answer.

/** A row of the step's rows, from 0. */
export interface CellAddress {
  readonly step: number
  readonly row: number
  readonly column: string
}

/** What a number rests on: a cell, or how many rows a step has. */
export type Proof = CellAddress | { readonly step: number; readonly rowCount: number }

export const isCell = (proof: Proof): proof is CellAddress => 'column' in proof

/** A piece of an answer: words, or a number with what proves it; `proof: null` is a number nothing proves. */
export type AnswerPiece =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string; readonly proof: Proof | null }
