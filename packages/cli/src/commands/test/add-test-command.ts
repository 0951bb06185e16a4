import { Option } from 'commander'
import { type AddCommand, unsandboxedText, wholeNumber } from '../../flags/command-options.ts'
import { test } from './test.ts'

export const addTestCommand: AddCommand = (program, terminal, finish) => {
  program
    .command('test')
    .description(
      'run the test cases of agent files (exit 0 all passed, 1 one failed, 2 configuration, 3 backend, 4 metric)',
    )
    .argument('[files...]', 'agent files or folders', [])
    .addOption(new Option('--format <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('--output <file>', 'write the report as JSON to this file')
    .option('--limit <n>', 'run only the first n cases', wholeNumber(1))
    .option('--filter <text>', 'run only cases with this text in their name')
    .option('--parallel <n>', 'number of cases to run at the same time', wholeNumber(1))
    .option('--timeout <seconds>', 'time limit for one message', wholeNumber(1))
    .addOption(
      new Option('--model-source <source>', 'where model answers come from; never chosen automatically').choices([
        'provider',
        'simulator',
      ]),
    )
    .option('--script <file>', 'scenario for the simulator to play')
    .option('--force-ingest', 'read all documents of search tools again, even unchanged ones')
    .option('--allow-unsandboxed', unsandboxedText)
    .option('--data <folder>', 'keep the log in this folder (default: deleted after the run)')
    .option('--quiet', 'print only the summary')
    .option('--verbose', 'also print messages, answers and tool calls')
    .action(async (files: string[], flags) => finish(await test(terminal, { files, flags })))
}
