// The queries that answer a question. A question that is not understood completely has no plan.

export interface PlannedStep {
  readonly sql: string
  /** Names the result in the answer: "The sum of amount in sales". */
  readonly title: string
  readonly result: 'value' | 'groups' | 'times' | 'rows' | 'columns'
  /** Of the result, for clients that send rows without names. */
  readonly columns?: readonly string[]
  /** Written behind each number of the result. */
  readonly unit?: string
}

export interface Plan {
  readonly steps: readonly PlannedStep[]
  readonly caveats: readonly string[]
  readonly followUps: readonly string[]
}

export interface Refusal {
  readonly reason: string
}
