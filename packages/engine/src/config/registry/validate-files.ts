// `quarterdeck validate`: what is wrong with files, for a person or a program to read.
import { resolve } from 'node:path'
import { type LoadedAgent, loadAgent } from '../load-agent.ts'
import { type ConfigProblem, isError } from '../problems/problem.ts'
import type { LoadOptions } from '../resolve/resolve-agent.ts'
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

export interface ValidationReport {
  readonly files: readonly FileReport[]
}

/**
 * Checks every agent file at or under the paths; a path without any is an error of its own, and so is a name that two files
 * below one path have: they would be served together. A credential that is not set
 * here is a warning unless `credentials: 'require'` says otherwise: the file may be right for another machine. What only a
 * session opens is looked for too: without it the file is right and the agent does not run.
 */
export async function validateFiles(paths: readonly string[], options: LoadOptions): Promise<ValidationReport> {
  const files: FileReport[] = []
  for (const path of paths) {
    const found = await findAgentFiles([path], options.cwd)
    const named = [...found.files, ...found.missing]
    if (named.length === 0) files.push(reportOf(resolve(options.cwd, path), [nothingIn(resolve(options.cwd, path))]))
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

const nothingIn = (folder: string): ConfigProblem => ({
  severity: 'error',
  code: 'config.unreadable',
  message: 'no agent.yaml or *.agent.yaml in this folder',
  file: folder,
  line: 1,
  column: 1,
  path: '',
})
