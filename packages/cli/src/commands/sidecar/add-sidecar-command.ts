import type { Command } from 'commander'
import type { Terminal } from '../../terminal/terminal.ts'
import { sidecar } from './sidecar.ts'

interface SidecarCommandDeps {
  readonly terminal: Terminal
  readonly finish: (code: number) => void
  /** The options of everything that runs agents. */
  readonly shared: (command: Command) => Command
  readonly wholeNumber: (text: string) => number
}

export function addSidecarCommand(
  program: Command,
  { terminal, finish, shared, wholeNumber }: SidecarCommandDeps,
): void {
  shared(program.command('sidecar'))
    .description('the session API for the program that starts it: JSON-RPC 2.0 over stdin and stdout, one JSON a line')
    .argument('[paths...]', 'folders or agent files; this folder unless said', [])
    .option('--connect <url>', 'let the server there do the work, instead of this process')
    .option('--token-file <file>', 'with --connect: the file with the key to show there (or QUARTERDECK_TOKEN)')
    .option('--grace-seconds <n>', 'time running turns get when the input ends', wholeNumber, 10)
    .action(async (paths: string[], flags) => finish(await sidecar(terminal, { paths, flags })))
}
