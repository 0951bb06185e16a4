// A real terminal: tmux runs it, types keys and reads the screen.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { command } from '../server/run-command.ts'
import { cleanEnvironment, newFolder } from '../server/serve.ts'

export interface Terminal {
  type(text: string): void
  /** A key by its tmux name. */
  press(key: string): void
  /** The whole history, including lines that scrolled away. */
  screen(): string
  /** The same with the escape codes of its colors. */
  coloredScreen(): string
  close(): void
}

export interface TerminalOptions {
  readonly columns?: number
  readonly cwd?: string
  readonly hasColors?: boolean
}

export const hasTmux = spawnSync('tmux', ['-V']).status === 0

const patience = { timeout: 90_000 }

/** Runs the command. The caller closes the terminal. */
export async function openTerminal(args: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  const home = await newFolder('terminal')
  // A separate tmux server, so that other tmux sessions of this machine are not affected.
  const server = ['-S', join(home, 'tmux'), '-f', '/dev/null']
  const tmux = (...args: readonly string[]) => spawnSync('tmux', [...server, ...args], { encoding: 'utf8' })
  const { CI: _ci, NO_COLOR: plain = '', ...env } = await cleanEnvironment(home)
  const variables = { ...env, TERM: 'screen', LANG: 'C.UTF-8', ...(options.hasColors !== true && { NO_COLOR: plain }) }
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const line = [process.execPath, command, ...args].map((word) => `'${word}'`).join(' ')
  const shell = `${line}; echo "ended with $?"; sleep 600`
  const size = ['-x', String(options.columns ?? 150), '-y', '60', '-c', options.cwd ?? home]
  const started = tmux('new-session', '-d', ...size, 'env', '-i', ...assignments, 'sh', '-c', shell)
  if (started.status !== 0) throw new Error(started.stderr)
  const capture = (...flags: readonly string[]) =>
    tmux('capture-pane', '-p', '-J', ...flags, '-S', '-').stdout.trimEnd()
  return {
    type: (text) => void tmux('send-keys', '-l', text),
    press: (key) => void tmux('send-keys', key),
    screen: () => capture(),
    coloredScreen: () => capture('-e'),
    close: () => void tmux('kill-server'),
  }
}

export const sees = (terminal: Terminal, text: RegExp) => expect.poll(() => terminal.screen(), patience).toMatch(text)

export function enter(terminal: Terminal, line: string): void {
  terminal.type(line)
  terminal.press('Enter')
}
