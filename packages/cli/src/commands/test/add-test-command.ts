import { type Command, InvalidArgumentError, Option } from 'commander'
import { unsandboxedText } from '../../flags/runtime-options.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { test } from './test.ts'

export function addTestCommand(program: Command, terminal: Terminal, finish: (code: number) => void): void {
  program
    .command('test')
    .description(
      'run the test cases of agent files (exit 0 all passed, 1 one failed, 2 configuration, 3 backend, 4 metric)',
    )
    .argument('[files...]', 'agent files, or folders: every agent file below them', [])
    .addOption(new Option('--format <format>', 'what is printed').choices(['text', 'json']).default('text'))
    .option('--output <file>', 'write the report as JSON there')
    .option('--limit <n>', 'only the first so many cases', positiveNumber)
    .option('--filter <text>', 'only the cases with this in their name')
    .option('--parallel <n>', 'how many at a time', positiveNumber)
    .option('--timeout <seconds>', 'how long one message may take', positiveNumber)
    .addOption(
      new Option('--model-source <source>', 'who answers; never chosen by itself').choices(['provider', 'simulator']),
    )
    .option('--script <file>', 'let the simulator play this scenario')
    .option('--force-ingest', 'read the documents of search tools again, also where nothing has changed')
    .option('--allow-unsandboxed', unsandboxedText)
    .option('--data <folder>', 'keep the log there (default: it is gone after the run)')
    .option('--quiet', 'only the sum')
    .option('--verbose', 'also what was asked, answered and called')
    .action(async (files: string[], flags) => finish(await test(terminal, { files, flags })))
}

function positiveNumber(text: string): number {
  if (!/^0*[1-9]\d*$/.test(text)) throw new InvalidArgumentError('must be a whole number from 1')
  return Number(text)
}
