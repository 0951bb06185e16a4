// A mistake in a file: its position, a message and a suggested fix. Problems are collected and thrown only when a
// caller requires an agent with errors.
import { relative } from 'node:path'
import { type ErrorCode, QuarterdeckError } from '@quarterdeck/protocol'

export const problemCodes = [
  'config.unreadable',
  'config.malformed-yaml',
  'config.duplicate-key',
  'config.unknown-key',
  'config.missing-key',
  'config.invalid',
  'config.unsupported',
  'config.missing-variable',
  'config.missing-credential',
  'config.outside-project',
  'config.exposed-secret',
  'config.duplicate-name',
  'config.unsafe',
  'config.no-effect',
  'config.collision',
  'config.price-unknown',
  'config.hint',
] as const
export type ProblemCode = (typeof problemCodes)[number]

export interface ConfigProblem {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  /** One sentence, without values from the environment. */
  readonly message: string
  /** Absolute. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** `claude.bash.enabled`, `approvals.allow[0]`, empty for the file as a whole. */
  readonly path: string
  /** The closest valid value. */
  readonly suggestion?: string
}

/** `agents/triage.yaml:4:3 error: unknown key "modle". Did you mean "model"?` */
export function formatProblem(problem: ConfigProblem, cwd: string): string {
  const file = shortPath(problem.file, cwd)
  const suggestion = problem.suggestion === undefined ? '' : `. Did you mean "${problem.suggestion}"?`
  return `${file}:${problem.line}:${problem.column} ${problem.severity}: ${problem.message}${suggestion}`
}

/** An error of the file as a whole. */
export const fileError = (file: string, code: ProblemCode, message: string): ConfigProblem => ({
  severity: 'error',
  code,
  message,
  file,
  line: 1,
  column: 1,
  path: '',
})

export const isError = (problem: ConfigProblem): boolean => problem.severity === 'error'

/** All errors as one; it has a specific code if all errors share it. */
export function configError(problems: readonly ConfigProblem[], cwd: string): QuarterdeckError {
  const errors = problems.filter(isError)
  const detail = errors.map((problem) => formatProblem(problem, cwd)).join('\n')
  return new QuarterdeckError(errorCodeOf(errors), detail, { facts: { problems: errors } })
}

const oneKind: readonly ErrorCode[] = ['config.unreadable', 'config.missing-credential', 'config.unsupported']

function errorCodeOf(errors: readonly ConfigProblem[]): ErrorCode {
  const code = oneKind.find((kind) => errors.every((problem) => problem.code === kind))
  return code ?? 'config.invalid'
}

function shortPath(file: string, cwd: string): string {
  const path = relative(cwd, file)
  return path === '' || path.startsWith('..') ? file : path
}
