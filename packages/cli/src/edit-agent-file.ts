// A change of an agent file by a command: checked before it takes the place of the file, which is never half written.
import { chmod, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { formatProblem, validateFiles } from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Terminal } from './terminal.ts'

/** Throws `config.invalid` with every problem the change would bring; the file then stays as it was. */
export async function editAgentFile(terminal: Terminal, path: string, change: (text: string) => string): Promise<void> {
  const file = await realpath(path)
  const text = change(await readFile(file, 'utf8'))
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
      const told = brought.map((problem) => formatProblem({ ...problem, file }, terminal.cwd)).join('\n')
      throw new QuarterdeckError('config.invalid', `${told}\nNothing was written.`)
    }
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

async function errorsOf({ env, cwd, homeDir }: Terminal, file: string) {
  const { files } = await validateFiles([file], { env, cwd, homeDir })
  return files.flatMap(({ errors }) => errors)
}
