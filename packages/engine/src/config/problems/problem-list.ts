import type { ConfigProblem, ProblemCode } from './problem.ts'
import { formatPath, type Path } from './value-path.ts'

export interface ProblemDraft {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  readonly path: Path
  readonly message: string
  readonly suggestion?: string | undefined
  /** The part the position points at. Default: `key`. */
  readonly part?: 'key' | 'value' | undefined
}

/** `report`, with shorthands for the problems that many checks report. */
export const reporting = (report: (draft: ProblemDraft) => void) => ({
  report,
  refuse: (path: Path, message: string) => report({ severity: 'error', code: 'config.invalid', path, message }),
  /** Points at the value instead of its key. */
  refuseValue: (path: Path, message: string) =>
    report({ severity: 'error', code: 'config.invalid', path, part: 'value', message }),
  refuseMissing(path: Path, why: string) {
    const message = `"${formatPath(path)}" is missing: ${why}`
    report({ severity: 'error', code: 'config.missing-key', path, message })
  },
  warnNoEffect(path: Path, reason: string) {
    const message = `"${formatPath(path)}" has no effect: ${reason}`
    report({ severity: 'warning', code: 'config.no-effect', path, message })
  },
  /** `context` such as `with transport stdio`. */
  warnNoEffectIn(path: Path, context: string) {
    const message = `"${formatPath(path)}" has no effect ${context}`
    report({ severity: 'warning', code: 'config.no-effect', path, message })
  },
  warnWrittenSecret(path: Path) {
    const message = `"${formatPath(path)}" is written in the file: move the value to the environment and reference the variable`
    report({ severity: 'warning', code: 'config.exposed-secret', path, message })
  },
})

export type ProblemList = ReturnType<typeof createProblemList>

export type LocateProblem = (path: Path, part?: 'key' | 'value') => Pick<ConfigProblem, 'file' | 'line' | 'column'>

export function createProblemList(
  initial: readonly ConfigProblem[],
  locationOf: LocateProblem,
  initialErrorPaths: readonly string[] = [],
) {
  const problems = [...initial]
  const errorPaths = new Set(initialErrorPaths)
  /** Reports each error path once: later drafts for that path or a path below it are dropped. */
  const report = ({ path, part, severity, code, message, suggestion }: ProblemDraft): void => {
    if (path.some((_, index) => errorPaths.has(formatPath(path.slice(0, index + 1))))) return
    const at = formatPath(path)
    if (severity === 'error') errorPaths.add(at)
    const location = locationOf(path, part)
    problems.push({
      severity,
      code,
      message,
      ...location,
      path: at,
      ...(suggestion === undefined ? {} : { suggestion }),
    })
  }
  return { problems, ...reporting(report) }
}
