// `quarterdeck validate`: the problems of agent files.
import { resolve } from 'node:path'
import type { LoadOptions } from '../agent-context.ts'
import { type LoadedAgent, loadAgent } from '../load-agent.ts'
import { type ConfigProblem, fileError, isError } from '../problems/problem.ts'
import { findAgentFiles } from './find-agent-files.ts'
import { refuseDuplicates } from './refuse-duplicates.ts'

export interface FileReport {
  /** Absolute. */
  readonly file: string
  /** True when there are no errors. */
  readonly ok: boolean
  readonly errors: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

/**
 * Checks every agent file at or below the paths, and the files that only a session opens. A path without agent files is
 * an error, and so are two files with one name below the same path, because they would be served together. A missing
 * credential is a warning unless `credentials` is `require`: the file may be valid on another machine.
 */
export async function validateFiles(paths: readonly string[], options: LoadOptions) {
  const files: FileReport[] = []
  for (const path of paths) {
    const found = await findAgentFiles([path], options.cwd)
    const named = [...found.files, ...found.missing]
    if (named.length === 0) {
      const folder = resolve(options.cwd, path)
      const message = 'no agent.yaml or *.agent.yaml in this folder'
      files.push(reportOf(folder, [fileError(folder, 'config.unreadable', message)]))
    }
    const loaded: LoadedAgent[] = []
    for (const file of named) loaded.push(await loadAgent(file, { credentials: 'note', checksFiles: true, ...options }))
    for (const { file, problems } of refuseDuplicates(loaded)) {
      if (!files.some((report) => report.file === file)) files.push(reportOf(file, problems))
    }
  }
  return { files }
}

function reportOf(file: string, problems: readonly ConfigProblem[]): FileReport {
  const errors = problems.filter(isError)
  return { file, ok: errors.length === 0, errors, warnings: problems.filter((problem) => !isError(problem)) }
}
