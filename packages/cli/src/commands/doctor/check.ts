/** The result of one check of `quarterdeck doctor`. */
export interface Check {
  readonly name: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly finding: string
  /** How to fix it; `null` if there is nothing to fix. */
  readonly fix: string | null
}
