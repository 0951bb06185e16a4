// A terminal made of strings: records the output of a command and sends it typed input.
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import type { Terminal } from './terminal.ts'

export type TestTerminal = Awaited<ReturnType<typeof openTestTerminal>>

interface TestTerminalOptions {
  /** The content of a pipe up to its end; without it a user types. */
  readonly piped?: string
  readonly env?: Readonly<Record<string, string>>
  /** The current folder; by default a temporary one, removed after the test. */
  readonly cwd?: string
}

export async function openTestTerminal({ piped, env = {}, cwd }: TestTerminalOptions = {}) {
  const isTTY = piped === undefined
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const stdout = keep(false)
  const stderr = keep(isTTY)
  const handlers = new Set<() => void>()
  const exits: number[] = []
  const folder = cwd ?? (await newFolder())
  const terminal: Terminal = {
    stdin,
    stdout,
    stderr,
    env: { NO_COLOR: '1', QUARTERDECK_ALLOW_UNSANDBOXED: '1', ...env },
    cwd: folder,
    homeDir: join(folder, 'home'),
    onSignal(_signal, handler) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    exitNow(code) {
      exits.push(code)
    },
  }
  if (piped !== undefined) stdin.end(piped)
  return {
    terminal,
    stdout: stdout.text,
    stderr: stderr.text,
    type: (line: string) => void stdin.write(`${line}\n`),
    /** A key as the terminal sends it. */
    press: (key: string) => void stdin.write(key),
    signal: () => {
      for (const handler of handlers) handler()
    },
    handlers: () => handlers.size,
    /** The exit codes of `exitNow`. */
    exits: () => exits,
    /** Waits until the text was written to standard error. */
    asked: (words: string | RegExp) => expect.poll(stderr.text).toMatch(words),
  }
}

async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-command-')))
  // A process that has just ended may still close its files.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))
  return folder
}

/** The text of a terminal without cursor control sequences, or of a pipe exactly as written. */
function keep(isTTY: boolean) {
  let text = ''
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    text: () => (isTTY ? stripVTControlCharacters(text) : text),
  })
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  return stream
}
