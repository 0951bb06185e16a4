// Where JavaScript that a model wrote runs, as the rest of the page knows it.
import type { Rows } from '../domain/cells.ts'

export interface SandboxCall {
  /** A body with `return`, one expression, or a function; `async` or not. It has `data` and `allSteps`. */
  readonly code: string
  /** Becomes `data`: a list of objects. */
  readonly data: Rows
  /** Becomes `allSteps[n]`. Only those the code can want: their rows count, each list of rows once. */
  readonly allSteps: ReadonlyMap<number, Rows>
  readonly signal?: AbortSignal
}

export interface Sandbox {
  /** One after the other. Rejects with `SandboxError`. An empty list is an answer: no columns, no rows. */
  run(call: SandboxCall): Promise<Rows>
  close(): void
}

/** `invalid`: what came back is no list of flat records · `unavailable`: the frame did not load. */
export type SandboxProblem = 'timeout' | 'cancelled' | 'invalid' | 'too-large' | 'threw' | 'unavailable'

export class SandboxError extends Error {
  readonly problem: SandboxProblem
  /** Of the code, from 1, where it is known. */
  readonly line: number | null

  /** The message may hold values of cells: it counts as data. */
  constructor(problem: SandboxProblem, message: string, line: number | null = null) {
    super(message)
    this.name = 'SandboxError'
    this.problem = problem
    this.line = line
  }
}

export interface SandboxLimits {
  readonly codeBytes: number
  readonly rowsIn: number
  readonly rowsOut: number
  readonly bytesOut: number
  readonly timeMs: number
}

export const sandboxLimits: SandboxLimits = {
  codeBytes: 20_000,
  rowsIn: 100_000,
  rowsOut: 10_000,
  bytesOut: 5_000_000,
  timeMs: 5_000,
}
