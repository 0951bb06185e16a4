// `quarterdeck retrieval …`: indexes and queries the documents of an agent without calling its model.
import { resolve } from 'node:path'
import {
  callNamesOf,
  type IngestionReport,
  measureRecall,
  type Recall,
  type RecallReport,
  type Retrieval,
  spellingsOf,
} from '@quarterdeck/engine'
import {
  type AgentDefinition,
  isRetrievalTool,
  type QuarterdeckError,
  type RetrievalTool,
  visibleText,
} from '@quarterdeck/protocol'
import type { Command } from 'commander'
import { openAgent } from '../../connect/open-agent.ts'
import { type AddCommand, modelSourceOption, wholeNumber } from '../../flags/command-options.ts'
import type { JsonFlags } from '../../flags/runtime-options.ts'
import { misuse } from '../../terminal/misuse.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import { untilSignal } from '../../terminal/until-signal.ts'

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
    .addOption(modelSourceOption('source of embeddings; auto: the provider if its key is set'))
    .option('--json', 'print JSON')
    .option('--verbose', 'log more')

export interface RetrievalFlags extends JsonFlags {
  readonly force?: boolean
  readonly topK?: number
}

export async function ingestDocuments(
  terminal: Terminal,
  { agent, flags }: { agent: string; flags: RetrievalFlags },
): Promise<number> {
  return withAgent(terminal, { path: agent, flags }, async ({ definition, retrieval, signal }) => {
    const reports = await retrieval.ingest(definition, { force: flags.force === true, signal })
    if (reports.length === 0) throw nothingToSearch(definition.name)
    if (flags.json === true) print(terminal, jsonText(reports.map(({ tool, report }) => ({ tool, ...report }))))
    else for (const { tool, report } of reports) printReport(terminal, tool, report)
    return 0
  })
}

interface OpenedAgent {
  readonly definition: AgentDefinition
  readonly retrieval: Omit<Retrieval, 'close'>
  /** Aborts when the user stops the command. */
  readonly signal: AbortSignal
}

async function withAgent(
  terminal: Terminal,
  { path, flags }: { readonly path: string; readonly flags: RetrievalFlags },
  use: (opened: OpenedAgent) => Promise<number>,
): Promise<number> {
  const { runtime, agentName } = await openAgent(terminal, { path, flags, canAsk: false, credentials: 'note' })
  const { signal, forget } = untilSignal(terminal, ['SIGINT', 'SIGTERM'])
  try {
    const { agents, retrieval } = runtime.engine
    return await use({ definition: await agents.load(agentName), retrieval, signal })
  } finally {
    forget()
    await runtime.close()
  }
}

function printReport(terminal: Terminal, tool: string, report: IngestionReport): void {
  const { files, passages, changed, removed, skipped } = report
  const done = changed + removed === 0 ? 'nothing to do' : `${changed} read, ${removed} removed`
  print(terminal, `${visibleText(tool)}: ${files} files, ${passages} passages (${done})`)
  for (const { path, reason } of skipped) print(terminal, `  skipped: ${visibleText(path)}, ${reason}`)
}

export async function searchDocuments(
  terminal: Terminal,
  { agent, tool, query, flags }: { agent: string; tool: string; query: string; flags: RetrievalFlags },
): Promise<number> {
  return withAgent(terminal, { path: agent, flags }, async ({ definition, retrieval, signal }) => {
    const wanted = findSearchTool(definition, tool)
    // Only this tool, and as an error rather than a warning if it cannot be searched.
    const only = { ...definition, tools: [{ ...wanted, onFailure: 'error' as const }] }
    const [searched] = await retrieval.open(only, signal)
    if (searched === undefined) throw noSuchTool(definition.name, tool, [wanted])
    const { text, results } = await searched.search(query, { topK: flags.topK }, signal)
    print(terminal, flags.json === true ? jsonText(results) : visibleText(text))
    return results.length === 0 ? 1 : 0
  })
}

/** Exits with 1 when hybrid search is worse than the better of keyword and semantic search. */
export async function printRecall(
  terminal: Terminal,
  { folder, flags }: { folder: string; flags: RetrievalFlags },
): Promise<number> {
  const { signal, forget } = untilSignal(terminal, ['SIGINT', 'SIGTERM'])
  try {
    const report = await measureRecall(resolve(terminal.cwd, folder), signal)
    print(terminal, flags.json === true ? jsonText(report) : recallTable(report))
    return report.isHybridBest ? 0 : 1
  } finally {
    forget()
  }
}

function recallTable({ questions, files, passages, modes, missed, isHybridBest }: RecallReport): string {
  const number = (value: number) => value.toFixed(3).padStart(9)
  const row = (name: string, { recall1, recall3, recall10, mrr }: Recall) =>
    name.padEnd(22) + [recall1, recall3, recall10, mrr].map(number).join('')
  const lines = Object.entries(modes).flatMap(([mode, { kinds, ...recall }]) => [
    row(mode, recall),
    ...Object.entries(kinds).map(([kind, ofKind]) => row(`  ${visibleText(kind)}`, ofKind)),
  ])
  return [
    `${questions} questions over ${files} files, ${passages} passages`,
    ''.padEnd(22) + ['recall@1', '@3', '@10', 'MRR'].map((name) => name.padStart(9)).join(''),
    ...lines,
    ...(missed.length === 0 ? [] : [`not in the first ten results of hybrid: ${visibleText(missed.join(', '))}`]),
    isHybridBest
      ? 'hybrid is at least as good as the better of keyword and semantic'
      : 'hybrid is worse than the better of keyword and semantic',
  ].join('\n')
}

const nothingToSearch = (agentName: string): QuarterdeckError =>
  misuse(`agent "${agentName}" has no vectorstore or hierarchical_document tool`)

function findSearchTool({ name: agentName, tools }: AgentDefinition, name: string): RetrievalTool {
  const searchTools = tools.filter(isRetrievalTool)
  // Either name works, as in rules and lists; the name in the file comes first.
  const isMeant = (tool: RetrievalTool) => callNamesOf(tool).some((called) => spellingsOf(tool, called).includes(name))
  const found = searchTools.find((tool) => tool.name === name) ?? searchTools.find(isMeant)
  if (found === undefined) throw noSuchTool(agentName, name, searchTools)
  return found
}

function noSuchTool(agentName: string, tool: string, tools: readonly { readonly name: string }[]): QuarterdeckError {
  if (tools.length === 0) return nothingToSearch(agentName)
  const names = tools.map(({ name }) => name).join(', ')
  return misuse(`agent "${agentName}" has no search tool "${tool}": it has ${names}`)
}
