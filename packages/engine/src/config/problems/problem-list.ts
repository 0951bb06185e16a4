import type { ConfigProblem, ProblemCode } from './problem.ts'
import { formatPath, type Path } from './value-path.ts'

export interface ProblemDraft {
  readonly severity: 'error' | 'warning'
  readonly code: ProblemCode
  readonly path: Path
  readonly message: string
  readonly suggestion?: string | undefined
  /** The part the position points at. Default: `key`. */
  readonly part?: 'key' | 'value'
}

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
  return { problems, report }
}
