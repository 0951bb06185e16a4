import { homedir } from 'node:os'
import { isQuarterdeckError } from '@quarterdeck/protocol'
import { readVersion } from '@quarterdeck/server'
import { exitCodeOfError } from './exit-codes.ts'
import { runProgram } from './program.ts'
import { paletteFor } from './render/palette.ts'
import type { Terminal } from './terminal.ts'

/** The command: resolves with the exit code and never throws. */
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
  }
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosedPipe)
  try {
    return await runProgram(terminal, argv, readVersion())
  } catch (error) {
    const palette = paletteFor(terminal.stderr, terminal.env)
    const isExpected = isQuarterdeckError(error)
    const text = isExpected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
    terminal.stderr.write(`${palette.bad('error')}: ${text}\n`)
    return exitCodeOfError(error)
  }
}

/** Whoever read our output has left (`| head`): that is their business, the work goes on. */
function ignoreClosedPipe(error: Error): void {
  if ('code' in error && error.code === 'EPIPE') return
  throw error
}
