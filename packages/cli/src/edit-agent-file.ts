// A change of an agent file by a command: checked before it takes the place of the file, which is never half written.
import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { formatProblem, readText, validateFiles } from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

/** Throws `config.invalid` with every problem the change would bring; the file then stays as it was. */
export async function editAgentFile(terminal: Terminal, path: string, change: (text: string) => string): Promise<void> {
  const file = await realpath(path)
  const original = await textOf(file)
  const text = change(original)
  // Beside the file, so that paths in it mean the same.
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`)
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await chmod(draft, (await stat(file)).mode)
    const before = await errorsOf(terminal, file)
    const known = new Set(before.map(({ message }) => message))
    // A variable may be set later, or on another machine.
    const brought = (await errorsOf(terminal, draft)).filter(
      ({ code, message }) => !known.has(message) && code !== 'config.missing-variable',
    )
    if (brought.length > 0) {
      const lineOf = lineBefore(original, text)
      const shown = relative(terminal.cwd, file)
      const told = brought.map((problem) => {
        const line = lineOf(problem.line)
        return line === null ? `${shown}: ${problem.message}` : formatProblem({ ...problem, file, line }, terminal.cwd)
      })
      throw new QuarterdeckError('config.invalid', `${told.join('\n')}\nNothing was written.`)
    }
    await rename(draft, file)
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

async function errorsOf({ env, cwd, homeDir }: Terminal, file: string) {
  // What it names may be made later, too.
  const { files } = await validateFiles([file], { env, cwd, homeDir, looksForFiles: false })
  return files.flatMap(({ errors }) => errors)
}
