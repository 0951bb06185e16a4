/** A denial that no person can lift: a message for the agent, and the rule behind it. */
export interface Refusal {
  readonly message: string
  readonly rule: string
}
