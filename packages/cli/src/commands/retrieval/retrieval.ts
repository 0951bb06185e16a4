// `quarterdeck retrieval …`: indexes and queries the documents of an agent without calling its model.
import { resolve } from 'node:path'
import {
  callNamesOf,
  type IngestionReport,
  measureRecall,
  type Recall,
  type RecallReport,
  spellingsOf,
} from '@quarterdeck/engine'
import {
  type AgentDefinition,
  isRetrievalTool,
  QuarterdeckError,
  type RetrievalTool,
  visibleText,
} from '@quarterdeck/protocol'
import { openAgent } from '../../connect/open-agent.ts'
import type { SharedFlags } from '../../flags/runtime-options.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import { untilSignal } from '../../terminal/until-signal.ts'

export interface RetrievalFlags extends SharedFlags {
  readonly json?: boolean
  readonly force?: boolean
  readonly topK?: number
}

export async function ingestDocuments(
  terminal: Terminal,
  { agent, flags }: { agent: string; flags: RetrievalFlags },
): Promise<number> {
  const { runtime, agentName } = await openAgent(terminal, { path: agent, flags, canAsk: false, credentials: 'note' })
  const { signal, forget } = untilSignal(terminal, ['SIGINT', 'SIGTERM'])
  try {
    const definition = await runtime.engine.agents.load(agentName)
    const reports = await runtime.engine.retrieval.ingest(definition, { force: flags.force === true, signal })
    if (reports.length === 0) throw nothingToSearch(agentName)
    if (flags.json === true) print(terminal, jsonText(reports.map(({ tool, report }) => ({ tool, ...report }))))
    else for (const { tool, report } of reports) printReport(terminal, tool, report)
    return 0
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
  const { runtime, agentName } = await openAgent(terminal, { path: agent, flags, canAsk: false, credentials: 'note' })
  const { signal, forget } = untilSignal(terminal, ['SIGINT', 'SIGTERM'])
  try {
    const definition = await runtime.engine.agents.load(agentName)
    const wanted = findSearchTool(definition, tool)
    // Only this tool, and as an error rather than a warning if it cannot be searched.
    const only = { ...definition, tools: [{ ...wanted, onFailure: 'error' as const }] }
    const [searched] = await runtime.engine.retrieval.open(only, signal)
    if (searched === undefined) throw noSuchTool(agentName, tool, [wanted])
    const { text, results } = await searched.search(query, { topK: flags.topK }, signal)
    print(terminal, flags.json === true ? jsonText(results) : visibleText(text))
    return results.length === 0 ? 1 : 0
  } finally {
    forget()
    await runtime.close()
  }
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
  new QuarterdeckError('request.invalid', `agent "${agentName}" has no vectorstore or hierarchical_document tool`)

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
  return new QuarterdeckError('request.invalid', `agent "${agentName}" has no search tool "${tool}": it has ${names}`)
}
