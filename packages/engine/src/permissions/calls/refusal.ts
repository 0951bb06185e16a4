/** A call that no person can let through: a sentence for the agent, and the rule behind it. */
export interface Refusal {
  readonly message: string
  readonly rule: string
}
