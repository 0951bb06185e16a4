// Maps the options that commands share to runtime options: data folder, model source, logging.
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

/** The flags of commands that also print JSON. */
export interface JsonFlags extends SharedFlags {
  readonly json?: boolean
}

export const dataFolder = (terminal: Terminal, flags: SharedFlags): string =>
  resolve(terminal.cwd, flags.data ?? terminal.env.QUARTERDECK_DATA ?? '.quarterdeck')

/** Containers set the variable, so that their command line is the same on every machine. */
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
