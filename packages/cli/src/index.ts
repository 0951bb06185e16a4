import { homedir } from 'node:os'
import { hasErrorCode } from '@quarterdeck/protocol'
import { readVersion } from '@quarterdeck/server'
import { runProgram } from './program/program.ts'
import { paletteFor } from './render/palette.ts'
import { commandLine } from './terminal/command-line.ts'
import { errorLine } from './terminal/error-text.ts'
import { exitCodeOfError } from './terminal/exit-codes.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Runs the command. Resolves with the exit code and never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal: Terminal = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    homeDir: homedir(),
    onSignal(signal, handler) {
      process.on(signal, handler)
      return () => process.off(signal, handler)
    },
    exitNow: (code) => process.exit(code),
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe)
  try {
    return await runProgram(terminal, argv, readVersion())
  } catch (error) {
    const palette = paletteFor(terminal.stderr, terminal.env)
    // Texts of the engine and the server name commands as `"quarterdeck …"`.
    const line = errorLine(error, palette).replaceAll('"quarterdeck ', `"${commandLine(terminal)} `)
    terminal.stderr.write(`${line}\n`)
    return exitCodeOfError(error)
  }
}

/** The reader of our output is gone (`| head`, or a closed terminal): the work continues. */
function ignoreClosedPipe(error: Error): void {
  if (hasErrorCode(error, 'EPIPE', 'ERR_STREAM_DESTROYED', 'EIO')) return
  throw error
}
