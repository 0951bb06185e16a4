// The queries that answer a question. There is no plan for a question with a word that no pattern matches.

export interface PlannedStep {
  readonly sql: string
  /** Names the result in the answer: "The sum of amount in sales". */
  readonly title: string
  readonly result: 'value' | 'groups' | 'times' | 'rows' | 'columns'
  /** The columns of the result, for clients that send rows without column names. */
  readonly columns?: readonly string[]
  /** Written after each number of the result. */
  readonly unit?: string
}

export interface Plan {
  readonly steps: readonly PlannedStep[]
  readonly caveats: readonly string[]
  readonly followUps: readonly string[]
}

export interface RefusedPlan {
  /** Empty if no pattern matches the question. */
  readonly reason: string
}
