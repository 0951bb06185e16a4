// Everything a command needs from its environment: streams, variables, folders, signals.
import type { Readable, Writable } from 'node:stream'
import { visibleJson } from '@quarterdeck/protocol'
import type { Screen } from '../render/markdown/markdown-stream.ts'
import { paletteFor } from '../render/palette.ts'

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly homeDir: string
  /** Calls the handler for each signal until the returned function is called. */
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', handler: () => void): () => void
  /** Ends the process now, without waiting for pending output. */
  exitNow(code: number): void
}

/** Whether a user can read questions and type answers. */
export const isInteractive = (terminal: Terminal): boolean =>
  terminal.stdin.isTTY === true && terminal.stderr.isTTY === true

/** For rendering the text of the agent; `undefined` for a pipe, which gets the text unchanged. */
export function screenOf({ stdout, env }: Terminal): Screen | undefined {
  if (stdout.isTTY !== true) return undefined
  const screen = { palette: paletteFor(stdout, env), width: () => stdout.columns || 80 }
  return env.TERM === 'dumb' ? screen : { ...screen, height: () => stdout.rows || 24 }
}

export function print(terminal: Terminal, line: string): void {
  terminal.stdout.write(`${line}\n`)
}

/** JSON with control characters escaped, which parses to the same value. */
export const jsonText = (value: unknown, indent: 0 | 2 = 2): string => visibleJson(JSON.stringify(value, null, indent))

/** Progress and remarks go to standard error, never into piped output. */
export function remark(terminal: Terminal, line: string): void {
  terminal.stderr.write(`${line}\n`)
}
