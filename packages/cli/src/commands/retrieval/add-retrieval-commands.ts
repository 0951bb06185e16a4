import type { Command } from 'commander'
import { type AddCommand, modelSourceOption, wholeNumber } from '../../flags/command-options.ts'
import { ingestDocuments, printRecall, type RetrievalFlags, searchDocuments } from './retrieval.ts'

export const addRetrievalCommands: AddCommand = (program, terminal, finish) => {
  const retrieval = program.command('retrieval').description('index and query the documents of search tools')
  withRetrievalOptions(retrieval.command('ingest'))
    .description('read new and changed documents of the search tools')
    .argument('[agent]', 'an agent file, or a folder with an agent.yaml', '.')
    .option('--force', 'read all documents again, even unchanged ones')
    .action(async (agent: string, flags) => finish(await ingestDocuments(terminal, { agent, flags })))
  withRetrievalOptions(retrieval.command('search'))
    .description('print the passages that the model would get (exit 1 if none match)')
    .argument('<agent>', 'an agent file, or a folder with an agent.yaml')
    .argument('<tool>', 'name of the tool in the file')
    .argument('<query>', 'text to search for')
    .option('--top-k <n>', 'number of passages', wholeNumber(1, 100))
    .action(async (agent: string, tool: string, ...[query, flags]: [string, RetrievalFlags]) =>
      finish(await searchDocuments(terminal, { agent, tool, query, flags })),
    )
  retrieval
    .command('recall')
    .description('measure how often search finds the right passage (exit 1 if hybrid is not the best mode)')
    .argument('<folder>', 'folder with documents/ and questions.json')
    .option('--json', 'print JSON')
    .action(async (folder: string, flags) => finish(await printRecall(terminal, { folder, flags })))
}

const withRetrievalOptions = (command: Command): Command =>
  command
    .option('--data <folder>', 'data folder (default: ./.quarterdeck)')
    .addOption(modelSourceOption('where embeddings come from; auto: the provider if its key is set'))
    .option('--json', 'print JSON')
    .option('--verbose', 'log more')
