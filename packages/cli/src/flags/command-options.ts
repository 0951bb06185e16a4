// Options that several commands declare, and parsers for their values.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'

/** Declares one command. `finish` takes the exit code of its action. */
export type AddCommand = (program: Command, terminal: Terminal, finish: (code: number) => void) => void

/** The options of every command that runs agents: `SharedFlags`. */
export const withRuntimeOptions = (command: Command): Command =>
  command
    .option('--data <folder>', 'data folder (default: ./.quarterdeck)')
    .addOption(modelSourceOption('source of model answers; auto: the provider if its key is set'))
    .option('--script <file>', 'scenario for the simulator to play')
    .option('--allow-unsandboxed', unsandboxedText)
    .option('--verbose', 'log more')

/** The options of every command that reads a data folder or calls its server. */
export const withDataOptions = (command: Command): Command =>
  command.option('--data <folder>', 'data folder (default: ./.quarterdeck)').option('--json', 'print JSON')

export const modelSourceOption = (text: string): Option =>
  new Option('--model-source <source>', text).choices(['provider', 'simulator', 'auto'])

export const unsandboxedText =
  'start agents with a shell, functions, hooks or MCP commands where Linux namespaces are missing'

/** Parses a whole number within the bounds. */
export const wholeNumber =
  (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    const range = max === Number.MAX_SAFE_INTEGER ? (min === 0 ? '' : ` from ${min}`) : ` from ${min} to ${max}`
    throw new InvalidArgumentError(`must be a whole number${range}`)
  }
