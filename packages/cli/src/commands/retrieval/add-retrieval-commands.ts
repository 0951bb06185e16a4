import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from '../../terminal/terminal.ts'
import { ingestDocuments, printRecall, type RetrievalFlags, searchDocuments } from './retrieval.ts'

export function addRetrievalCommands(program: Command, terminal: Terminal, finish: (code: number) => void): void {
  const retrieval = program.command('retrieval').description('what the search tools of an agent know')
  shared(retrieval.command('ingest'))
    .description('read the documents of its tools: only what has changed')
    .argument('[agent]', 'an agent file, or a folder with an agent.yaml', '.')
    .option('--force', 'everything again, changed or not')
    .action(async (agent: string, flags) => finish(await ingestDocuments(terminal, { agent, flags })))
  shared(retrieval.command('search'))
    .description('what the model would get (exit 1 when nothing fits)')
    .argument('<agent>', 'an agent file, or a folder with an agent.yaml')
    .argument('<tool>', 'the name of the tool in the file')
    .argument('<query>', 'what to look for')
    .option('--top-k <n>', 'how many passages', resultCount)
    .action(async (agent: string, tool: string, ...[query, flags]: [string, RetrievalFlags]) =>
      finish(await searchDocuments(terminal, { agent, tool, query, flags })),
    )
  retrieval
    .command('recall')
    .description('how often the right passage is found (exit 1 when hybrid is not the best way)')
    .argument('<folder>', 'with documents/ and questions.json')
    .option('--json', 'print JSON')
    .action(async (folder: string, flags) => finish(await printRecall(terminal, { folder, flags })))
}

const shared = (command: Command): Command =>
  command
    .option('--data <folder>', 'where passages are kept (default: ./.quarterdeck)')
    .addOption(
      new Option('--model-source <source>', 'who embeds; auto means the provider if its key is there').choices([
        'provider',
        'simulator',
        'auto',
      ]),
    )
    .option('--json', 'print JSON')
    .option('--verbose', 'log more')

function resultCount(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 100) {
    throw new InvalidArgumentError('must be a whole number from 1 to 100')
  }
  return value
}
