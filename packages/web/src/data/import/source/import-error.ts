/** `empty`, `unreadable`, `unsupported`: of the file · `too-large`: of this page · `plan`, `cancelled`: of the person. */
export type ImportProblem = 'empty' | 'unreadable' | 'unsupported' | 'too-large' | 'plan' | 'cancelled'

/** A file that did not become a table. The message is a sentence for the person: what, where, and what helps. */
export class ImportError extends Error {
  readonly problem: ImportProblem

  constructor(problem: ImportProblem, message: string) {
    super(message)
    this.name = 'ImportError'
    this.problem = problem
  }
}
