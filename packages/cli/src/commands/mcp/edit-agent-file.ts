// Edits an agent file: checks the new text before it replaces the file, and replaces it atomically.
import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { formatProblem, readText, validateFiles } from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Terminal } from '../../terminal/terminal.ts'

type Problem = Awaited<ReturnType<typeof validateFiles>>['files'][number]['errors'][number]

export interface Edit {
  readonly change: (text: string) => string
  /** Explains an error that the change would cause; by default the message of the error. */
  readonly explain?: (problem: Problem) => string
}

/**
 * Returns the new warnings. Throws `config.invalid` with every error the change would cause, and leaves the file
 * unchanged.
 */
export async function editAgentFile(terminal: Terminal, path: string, edit: Edit): Promise<readonly Problem[]> {
  const { change, explain = ({ message }) => message } = edit
  const file = await realpath(path)
  const original = await textOf(file)
  const text = change(original)
  // Beside the file, so that relative paths in it still work.
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await chmod(draft, (await stat(file)).mode)
    const known = new Set((await problemsOf(terminal, file)).map(({ message }) => message))
    const added = (await problemsOf(terminal, draft)).filter(({ message }) => !known.has(message))
    const errors = added.filter(({ severity }) => severity === 'error')
    if (errors.length > 0) {
      const lineOf = lineBefore(original, text)
      const shown = relative(terminal.cwd, file)
      const sentences = errors.map((problem) => {
        const line = lineOf(problem.line)
        const message = explain(problem)
        const { suggestion, ...rest } = { ...problem, file, message }
        if (line === null) return `${shown}: ${message}`
        const hint = suggestion === undefined || message !== problem.message ? {} : { suggestion }
        return formatProblem({ ...rest, ...hint, line }, terminal.cwd)
      })
      throw new QuarterdeckError('config.invalid', `${sentences.join('\n')}\nNothing was written.`)
    }
    await rename(draft, file)
    return added
  } finally {
    await rm(draft, { force: true })
  }
}

const largest = 1024 * 1024

async function textOf(file: string): Promise<string> {
  const read = await readText(file, largest)
  if (read.type === 'text') return read.text
  const reason = read.type === 'absent' ? 'the file does not exist' : read.reason
  throw new QuarterdeckError('config.unreadable', `${file} cannot be read: ${reason}`)
}

/** The problem is located in a temporary draft: find the same line in the file; `null` if it has none. */
function lineBefore(before: string, after: string): (line: number) => number | null {
  const [old, drafted] = [before.split('\n'), after.split('\n')]
  return (line) => {
    const index = old.indexOf(drafted[line - 1] ?? '')
    return index === -1 || index !== old.lastIndexOf(drafted[line - 1] ?? '') ? null : index + 1
  }
}

async function problemsOf({ env, cwd, homeDir }: Terminal, file: string): Promise<readonly Problem[]> {
  // Ignored: the missing file may be created later.
  const { files } = await validateFiles([file], { env, cwd, homeDir, checksFiles: false })
  return files.flatMap(({ errors, warnings }) => [...errors, ...warnings])
}
