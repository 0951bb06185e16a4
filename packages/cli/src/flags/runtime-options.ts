// The options every command shares, read once: where the data lies, which model answers, what gets logged.
import { resolve } from 'node:path'
import type { RuntimeOptions } from '@quarterdeck/server'
import { createCommandLogger } from '../terminal/command-logger.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface SharedFlags {
  readonly data?: string
  readonly modelSource?: 'provider' | 'simulator' | 'auto'
  readonly script?: string
  readonly verbose?: boolean
  readonly allowUnsandboxed?: boolean
}

/** The help of `--allow-unsandboxed`. */
export const unsandboxedText =
  'start agents with a shell, functions, hooks or MCP commands where Linux namespaces are missing'

export const dataFolder = (terminal: Terminal, flags: SharedFlags): string =>
  resolve(terminal.cwd, flags.data ?? terminal.env.QUARTERDECK_DATA ?? '.quarterdeck')

/** Containers set the variable: their command line is the same on every machine. */
const isUnsandboxedAllowed = (terminal: Terminal, flags: SharedFlags): boolean =>
  flags.allowUnsandboxed === true || terminal.env.QUARTERDECK_ALLOW_UNSANDBOXED === '1'

export function runtimeOptions(
  terminal: Terminal,
  flags: SharedFlags,
  agentPaths: readonly string[],
): Omit<RuntimeOptions, 'role' | 'address' | 'canAsk'> {
  return {
    dataDir: dataFolder(terminal, flags),
    agentPaths: agentPaths.map((path) => resolve(terminal.cwd, path)),
    env: terminal.env,
    homeDir: terminal.homeDir,
    cwd: terminal.cwd,
    ...(flags.modelSource === undefined ? {} : { modelSource: flags.modelSource }),
    ...(flags.script === undefined ? {} : { scriptFile: resolve(terminal.cwd, flags.script) }),
    ...(isUnsandboxedAllowed(terminal, flags) ? { allowUnsandboxed: true } : {}),
    logger: createCommandLogger(terminal, flags.verbose === true ? 'debug' : 'warn'),
  }
}
