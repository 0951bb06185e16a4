// Search tools over a folder of documents, with the embedder of the simulator.
import type { AgentDefinition, HierarchicalDocumentTool, RetrievalTool, VectorstoreTool } from '@quarterdeck/protocol'
import { createSimulator } from '@quarterdeck/simulator'
import { onTestFinished } from 'vitest'
import { silentLogger } from '../../ports/logger.ts'
import type { EmbeddingAccess } from '../../ports/model-connections.ts'
import { testAgent } from '../../testing/agent-definition.fixture.ts'
import { createRetrieval, type DocumentSearch, type Retrieval } from '../create-retrieval.ts'
import { type DocumentFolder, openDocumentFolder } from './document-folder.fixture.ts'

export const agreement = `MASTER AGREEMENT

1. Definitions

1.1 "Portal" means the website with the readings.

4. Fees

4.1 Fees are paid quarterly.
4.2 Invoices are due in 21 days. Clause 7.1 holds for late ones.

7. Access

7.1 The Portal may be closed when invoices stay unpaid.
`

const { signal } = new AbortController()

export const openai = {
  provider: 'openai',
  model: 'text-embedding-3-small',
  endpoint: null,
  apiVersion: null,
  dimensions: 64,
} as const

const common = { name: 'kb', description: 'The house rules.', isCritical: false, onFailure: 'error' } as const

export const hierarchical = (source: string, change: Partial<HierarchicalDocumentTool> = {}): RetrievalTool => ({
  type: 'hierarchical_document',
  ...common,
  source,
  chunking: 'structure',
  maxChunkTokens: 200,
  chunkOverlap: 0,
  maxSubsectionDepth: null,
  searchMode: 'hybrid',
  topK: 3,
  minScore: null,
  rrfK: 60,
  weights: { semantic: 0.5, keyword: 0.3, exact: 0.2 },
  contextualEmbeddings: true,
  extractDefinitions: true,
  extractCrossReferences: true,
  ...change,
})

export const vectorstore = (source: string, change: Partial<VectorstoreTool> = {}): RetrievalTool => ({
  type: 'vectorstore',
  ...common,
  source,
  records: null,
  chunkTokens: 200,
  chunkOverlap: 0,
  topK: 3,
  minScore: null,
  ...change,
})

export async function openHarness(
  files: Readonly<Record<string, string>>,
  embeddings?: () => Promise<EmbeddingAccess>,
) {
  const folder = await openDocumentFolder(files)
  const simulator = createSimulator({ mode: 'demo', paceMs: 0 })
  onTestFinished(() => simulator.close())
  const { url } = await simulator.listen()
  const warnings: unknown[] = []
  const retrieval = createRetrieval({
    dataDir: folder.dataDir,
    clock: { now: () => new Date() },
    logger: { ...silentLogger, warn: (facts) => void warnings.push(facts) },
    embeddings:
      embeddings ?? (async () => ({ wire: 'openai', baseUrl: `${url}/v1`, apiKey: 'made-up', apiVersion: null })),
  })
  onTestFinished(() => retrieval.close())
  const embedded = () => simulator.served().embeddings.flatMap(({ inputs }) => inputs ?? [])
  return { folder, retrieval, warnings, embedded }
}

export const agentOf = ({ project }: DocumentFolder, ...tools: RetrievalTool[]): AgentDefinition =>
  testAgent(project, { tools, embedding: openai })

export async function openTool(retrieval: Retrieval, agent: AgentDefinition): Promise<DocumentSearch> {
  const [tool] = await retrieval.open(agent, signal)
  if (tool === undefined) throw new Error('the agent has no search tool')
  return tool
}
