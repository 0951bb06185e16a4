// A change of an agent file by a command: checked before it takes the place of the file, which is never half written.
import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { formatProblem, readText, validateFiles } from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Terminal } from '../../terminal/terminal.ts'

type Problem = Awaited<ReturnType<typeof validateFiles>>['files'][number]['errors'][number]

export interface Edit {
  readonly change: (text: string) => string
  /** Says what an error it would bring means for it; the error's own sentence unless it does. */
  readonly explain?: (problem: Problem) => string
}

/**
 * Throws `config.invalid` with every error the change would bring; the file then stays as it was. Hands back what else it
 * brings.
 */
export async function editAgentFile(terminal: Terminal, path: string, edit: Edit): Promise<readonly Problem[]> {
  const { change, explain = ({ message }) => message } = edit
  const file = await realpath(path)
  const original = await textOf(file)
  const text = change(original)
  // Beside the file, so that paths in it mean the same.
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await chmod(draft, (await stat(file)).mode)
    const known = new Set((await problemsOf(terminal, file)).map(({ message }) => message))
    const brought = (await problemsOf(terminal, draft)).filter(({ message }) => !known.has(message))
    const errors = brought.filter(({ severity }) => severity === 'error')
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
    return brought
  } finally {
    await rm(draft, { force: true })
  }
}

const largest = 1024 * 1024

async function textOf(file: string): Promise<string> {
  const read = await readText(file, largest)
  if (read.type === 'text') return read.text
  const reason = read.type === 'absent' ? 'there is no such file' : read.reason
  throw new QuarterdeckError('config.unreadable', `${file} cannot be read: ${reason}`)
}

/** Problems are found in a draft that nobody will see: the same line in the file as it is; `null` where it has none. */
function lineBefore(before: string, after: string): (line: number) => number | null {
  const [old, drafted] = [before.split('\n'), after.split('\n')]
  return (line) => {
    const index = old.indexOf(drafted[line - 1] ?? '')
    return index === -1 || index !== old.lastIndexOf(drafted[line - 1] ?? '') ? null : index + 1
  }
}

async function problemsOf({ env, cwd, homeDir }: Terminal, file: string): Promise<readonly Problem[]> {
  // What it names may be made later.
  const { files } = await validateFiles([file], { env, cwd, homeDir, checksFiles: false })
  return files.flatMap(({ errors, warnings }) => [...errors, ...warnings])
}
