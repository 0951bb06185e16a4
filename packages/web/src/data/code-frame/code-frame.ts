// Runs JavaScript of a model.
import type { Rows } from '../domain/cells.ts'

export interface CodeFrameCall {
  /** A body with `return`, one expression, or a function; optionally `async`. It can use `data` and `allSteps`. */
  readonly code: string
  /** Becomes `data`: a list of objects. */
  readonly data: Rows
  /** Becomes `allSteps[n]`. Only the steps that the code may need, because their rows count towards the limit. */
  readonly allSteps: ReadonlyMap<number, Rows>
  readonly signal?: AbortSignal
}

export interface CodeFrame {
  /** Calls run one after the other. Rejects with `CodeFrameError`. An empty list is valid: no columns, no rows. */
  run(call: CodeFrameCall): Promise<Rows>
  close(): void
}

/** `invalid`: the result is not a list of flat records · `unavailable`: the frame did not load. */
export type CodeFrameProblem = 'timeout' | 'cancelled' | 'invalid' | 'too-large' | 'threw' | 'unavailable'

export class CodeFrameError extends Error {
  readonly problem: CodeFrameProblem
  /** Line of the code, from 1, if known. */
  readonly line: number | null

  /** The message may contain cell values and counts as data. */
  constructor(problem: CodeFrameProblem, message: string, line: number | null = null) {
    super(message)
    this.name = 'CodeFrameError'
    this.problem = problem
    this.line = line
  }
}

export interface CodeFrameLimits {
  readonly codeBytes: number
  readonly rowsIn: number
  readonly rowsOut: number
  readonly bytesOut: number
  readonly timeMs: number
}

export const codeFrameLimits: CodeFrameLimits = {
  codeBytes: 20_000,
  rowsIn: 100_000,
  rowsOut: 10_000,
  bytesOut: 5_000_000,
  timeMs: 5_000,
}
