/**
 * `empty`, `unreadable`, `unsupported`: caused by the file · `too-large`: by this page · `plan`, `cancelled`: by the
 * user.
 */
export type ImportProblem = 'empty' | 'unreadable' | 'unsupported' | 'too-large' | 'plan' | 'cancelled'

/** A file could not be imported. The message tells the user what failed, where, and what helps. */
export class ImportError extends Error {
  readonly problem: ImportProblem

  constructor(problem: ImportProblem, message: string) {
    super(message)
    this.name = 'ImportError'
    this.problem = problem
  }
}
