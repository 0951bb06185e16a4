import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  type AgentDefinition,
  type HierarchicalDocumentTool,
  QuarterdeckError,
  type RetrievalTool,
  type VectorstoreTool,
} from '@quarterdeck/protocol'
import { createSimulator } from '@quarterdeck/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../ports/logger.ts'
import type { EmbeddingAccess } from '../ports/model-connections.ts'
import { dataFolders } from '../system/data-folders.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import { createRetrieval, type DocumentSearch, type Retrieval } from './create-retrieval.ts'
import { createSqlPassages } from './sql/create-sql-passages.ts'
import { type DocumentFolder, openDocumentFolder } from './testing/document-folder.fixture.ts'

const agreement = `MASTER AGREEMENT

1. Definitions

1.1 "Portal" means the website with the readings.

4. Fees

4.1 Fees are paid quarterly.
4.2 Invoices are due in 21 days. Clause 7.1 holds for late ones.

7. Access

7.1 The Portal may be closed when invoices stay unpaid.
`

const { signal } = new AbortController()

const openai = {
  provider: 'openai',
  model: 'text-embedding-3-small',
  endpoint: null,
  apiVersion: null,
  dimensions: 64,
} as const

const common = { name: 'kb', description: 'The house rules.', isCritical: false, onFailure: 'error' } as const

const hierarchical = (source: string, change: Partial<HierarchicalDocumentTool> = {}): RetrievalTool => ({
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

const vectorstore = (source: string, change: Partial<VectorstoreTool> = {}): RetrievalTool => ({
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

async function openHarness(files: Readonly<Record<string, string>>, embeddings?: () => Promise<EmbeddingAccess>) {
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

const agentOf = ({ project }: DocumentFolder, ...tools: RetrievalTool[]): AgentDefinition =>
  testAgent(project, { tools, embedding: openai })

async function openTool(retrieval: Retrieval, agent: AgentDefinition): Promise<DocumentSearch> {
  const [tool] = await retrieval.open(agent, signal)
  if (tool === undefined) throw new Error('the agent has no search tool')
  return tool
}

describe('a search tool', () => {
  it('has the name that the model uses and an input schema', async () => {
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement })
    const tool = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs)))
    expect(tool.hostTool).toMatchObject({
      name: 'mcp__tools__kb_search',
      description: 'The house rules.',
      inputSchema: { required: ['query'], properties: { query: { type: 'string' }, top_k: { maximum: 100 } } },
    })
  })

  it('returns source, location, score, text, definitions and references', async () => {
    const { retrieval, folder } = await openHarness({ 'law/a.txt': agreement })
    const tool = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs)))
    const { text, results } = await tool.search('clause 4.2', {}, signal)
    expect(results[0]).toEqual({
      source: 'docs/law/a.txt',
      location: { headings: ['MASTER AGREEMENT', '4. Fees', '4.2'], line: 10, row: null },
      score: 1,
      text: '4.2 Invoices are due in 21 days. Clause 7.1 holds for late ones.',
      details: {},
      definitions: [],
      references: [{ number: '7.1', text: '7.1 The Portal may be closed when invoices stay unpaid.' }],
    })
    expect(text).toContain('[1] docs/law/a.txt › MASTER AGREEMENT › 4. Fees › 4.2 (line 10), score 1.00\n4.2 Invoices')
    expect(text).toContain('Refers to 7.1: 7.1 The Portal')
    const closed = await tool.search('may be closed', {}, signal)
    expect(closed.results[0]?.definitions).toEqual([{ term: 'Portal', meaning: 'the website with the readings' }])
  })

  it('returns top_k results, or as many as the call requests, and none below min_score', async () => {
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement })
    const count = async (change: Partial<HierarchicalDocumentTool>, topK?: number) => {
      const tool = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs, change)))
      return (await tool.search('invoices and the portal', { topK }, signal)).results.length
    }
    expect(await count({ topK: 2 })).toBe(2)
    expect(await count({ topK: 2 }, 4)).toBe(4)
    expect(await count({ topK: 4, minScore: 0.9 })).toBeLessThan(4)
  })

  it('says so if nothing matches', async () => {
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement })
    const tool = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs, { searchMode: 'keyword' })))
    expect(await tool.search('zebra', {}, signal)).toEqual({ text: 'Nothing in kb fits "zebra".', results: [] })
  })

  it('refuses a blank query and an overlong one', async () => {
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement })
    const tool = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs)))
    expect(await tool.search('  ', {}, signal)).toMatchObject({ results: [], text: expect.stringContaining('blank') })
    expect((await tool.search(`invoices ${'very '.repeat(50_000)}`, {}, signal)).results).not.toEqual([])
    expect((await tool.search('???', {}, signal)).results).toEqual([])
  })

  it('searches in its mode and embeds nothing without semantic search', async () => {
    const { retrieval, folder, embedded } = await openHarness({ 'a.txt': agreement })
    const first = async (searchMode: HierarchicalDocumentTool['searchMode'], query: string) => {
      const tool = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs, { searchMode })))
      return (await tool.search(query, {}, signal)).results.map(({ location }) => location.headings.at(-1))
    }
    expect(await first('keyword', 'quarterly')).toEqual(['4.1'])
    expect(await first('exact', 'invoices stay unpaid')).toEqual(['7.1'])
    expect(await first('exact', 'unpaid invoices')).toEqual([])
    expect(embedded()).toEqual([])
    expect(await first('semantic', 'Fees are paid quarterly')).toHaveLength(3)
    expect(embedded()).toContain('Fees are paid quarterly')
  })

  it('embeds passages with their headings, unless disabled', async () => {
    for (const [contextualEmbeddings, text] of [
      [true, 'MASTER AGREEMENT > 4. Fees > 4.1\n4.1 Fees are paid quarterly.'],
      [false, '4.1 Fees are paid quarterly.'],
    ] as const) {
      const { retrieval, folder, embedded } = await openHarness({ 'a.txt': agreement })
      await retrieval.open(agentOf(folder, hierarchical(folder.docs, { contextualEmbeddings })), signal)
      expect(embedded()).toContain(text)
    }
  })
})

describe('a vectorstore', () => {
  it('searches documents by meaning, with the similarity as score', async () => {
    const { retrieval, folder } = await openHarness({
      'a.md': '# Boats\n\nBoats float.\n\n# Fish\n\nFish swim in the sea.',
    })
    const tool = await openTool(retrieval, agentOf(folder, vectorstore(folder.docs, { minScore: 0.3 })))
    const { results } = await tool.search('fish swim', {}, signal)
    expect(results.map(({ location }) => location.headings)).toEqual([['Fish']])
    expect(results[0]?.score).toBeGreaterThan(0.3)
  })

  it('searches the named fields of records and shows the others with the result', async () => {
    const { retrieval, folder, embedded } = await openHarness({ 'a.csv': 'id,title,price\nA1,Oar,10\nA2,Sail,20\n' })
    const records = {
      vectorFields: ['title'],
      idField: 'id',
      metaFields: ['price'],
      recordPath: null,
      delimiter: null,
      recordPrefix: '',
      metaPrefix: 'its ',
      fieldSeparator: '\n',
    }
    const tool = await openTool(retrieval, agentOf(folder, vectorstore(folder.docs, { records, topK: 1 })))
    expect(embedded()).toEqual(['Oar', 'Sail'])
    const { text, results } = await tool.search('Sail', {}, signal)
    expect(results).toMatchObject([{ text: 'Sail', details: { 'its price': '20' }, location: { row: 'A2' } }])
    expect(text).toContain('docs/a.csv › A2, score 1.00\nSail\nits price: 20')
  })
})

describe('all sessions of an agent', () => {
  it('share one ingestion and find changes when they open', async () => {
    const { retrieval, folder, embedded } = await openHarness({ 'a.md': '# A\n\none', 'b.md': '# B\n\ntwo' })
    const agent = agentOf(folder, hierarchical(folder.docs))
    const lines: string[] = []
    retrieval.onProgress(({ tool, filesDone, files, passages }) =>
      lines.push(`${tool} ${filesDone}/${files} ${passages}`),
    )
    await Promise.all([retrieval.open(agent, signal), retrieval.open(agent, signal)])
    await retrieval.open(agent, signal)
    expect(embedded()).toHaveLength(2)
    expect(lines).toEqual(['kb 1/2 1', 'kb 2/2 2'])
    await folder.write('b.md', '# B\n\nthree')
    await retrieval.open(agent, signal)
    expect(embedded().slice(2)).toEqual(['B\nthree'])
  })

  it('store their passages outside the reach of agents, one file per tool', async () => {
    const { retrieval, folder } = await openHarness({ 'a.md': '# A\n\none' })
    await retrieval.open(
      agentOf(folder, hierarchical(folder.docs), vectorstore(folder.docs, { name: 'other' })),
      signal,
    )
    const { hidden, databaseFolder } = dataFolders(folder.dataDir)
    expect(hidden).toContain(databaseFolder)
    const names = (await readdir(join(databaseFolder, 'retrieval', 'tester'))).filter((name) => name.endsWith('.db'))
    expect(names.map((name) => name.replace(/(-[0-9a-f]+)+/, ''))).toEqual(['kb.db', 'other.db'])
  })

  it('keep the ingestion running when one of them leaves', async () => {
    const { retrieval, folder, embedded } = await openHarness({ 'a.md': '# A\n\none' })
    const agent = agentOf(folder, hierarchical(folder.docs))
    const leaving = new AbortController()
    const left = retrieval.open(agent, leaving.signal)
    const stays = retrieval.open(agent, signal)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect(await stays).toHaveLength(1)
    expect(embedded()).toHaveLength(1)
  })
})

describe('a change of settings', () => {
  const filesOf = async ({ dataDir }: DocumentFolder) =>
    (await readdir(join(dataFolders(dataDir).retrieval, 'tester'))).filter((name) => name.endsWith('.db'))

  it('keeps the index of open sessions, even if the change fails', async () => {
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement })
    const before = agentOf(folder, hierarchical(folder.docs))
    const tool = await openTool(retrieval, before)
    const found = await tool.search('invoices', {}, signal)
    expect(found.results).toHaveLength(3)
    const unreachable = createRetrieval({
      dataDir: folder.dataDir,
      clock: { now: () => new Date() },
      logger: silentLogger,
      embeddings: () => Promise.reject(new QuarterdeckError('config.missing-credential', 'there is no key')),
    })
    onTestFinished(() => unreachable.close())
    const edited = { ...before, embedding: { ...openai, model: 'another' } }
    await expect(unreachable.open(edited, signal)).rejects.toThrow('there is no key')
    expect(await tool.search('invoices', {}, signal)).toEqual(found)
  })

  it('removes the old index when its last session closes', async () => {
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement })
    const old = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs)))
    const [oldFile] = await filesOf(folder)
    const agent = agentOf(folder, hierarchical(folder.docs, { maxChunkTokens: 100 }))
    await retrieval.open(agent, signal)
    expect(await filesOf(folder)).toHaveLength(2)
    expect((await old.search('invoices', {}, signal)).results).not.toEqual([])
    await old.close()
    await retrieval.open(agent, signal)
    expect(await filesOf(folder)).toHaveLength(1)
    expect(await filesOf(folder)).not.toContain(oldFile)
  })

  it('does not report an empty result while documents are read again', async () => {
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement })
    const tool = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs)))
    const [name = ''] = await filesOf(folder)
    const other = createSqlPassages(join(dataFolders(folder.dataDir).retrieval, 'tester', name), {
      now: () => new Date(),
    })
    onTestFinished(() => other.close())
    await other.begin('made again')
    await expect(tool.search('invoices', {}, signal)).rejects.toMatchObject({
      code: 'tool.unavailable',
      message: expect.stringContaining('being read again'),
    })
  })

  it('keeps a tool open exactly as long as it is in use', async () => {
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement })
    const agent = agentOf(folder, hierarchical(folder.docs))
    const [one, other] = [await openTool(retrieval, agent), await openTool(retrieval, agent)]
    await one.close()
    await one.close()
    expect((await other.search('invoices', {}, signal)).results).not.toEqual([])
    await other.close()
    await expect(other.search('invoices', {}, signal)).rejects.toMatchObject({ code: 'tool.unavailable' })
  })
})

describe('a forced ingestion', () => {
  it('runs even if the documents are already being read', async () => {
    const gate = { open: () => {} }
    const isOpen = new Promise<void>((resolve) => {
      gate.open = resolve
    })
    const simulator = createSimulator({ mode: 'demo', paceMs: 0 })
    onTestFinished(() => simulator.close())
    const { url } = await simulator.listen()
    const { retrieval, folder } = await openHarness({ 'a.md': '# A\n\none' }, async () => {
      await isOpen
      return { wire: 'openai', baseUrl: `${url}/v1`, apiKey: 'made-up', apiVersion: null }
    })
    const agent = agentOf(folder, hierarchical(folder.docs))
    const plain = retrieval.open(agent, signal)
    const forced = retrieval.ingest(agent, { force: true, signal })
    gate.open()
    await plain
    expect(await forced).toMatchObject([{ report: { changed: 1, embedded: 1 } }])
    expect(simulator.served().embeddings).toHaveLength(2)
  })
})

describe('closed retrieval', () => {
  it('cancels running work and accepts no more', async () => {
    const asked = { by: () => {} }
    const isAsked = new Promise<void>((resolve) => {
      asked.by = resolve
    })
    const silent = createServer(() => asked.by())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`
    const { retrieval, folder } = await openHarness({ 'a.txt': agreement }, async () => ({
      wire: 'openai',
      baseUrl,
      apiKey: 'made-up',
      apiVersion: null,
    }))
    const words = await openTool(retrieval, agentOf(folder, hierarchical(folder.docs, { searchMode: 'keyword' })))
    const agent = agentOf(folder, hierarchical(folder.docs))
    const opening = retrieval.open(agent, signal)
    const ended = expect(opening).rejects.toMatchObject({ code: 'tool.unavailable' })
    await isAsked
    await retrieval.close()
    await ended
    await expect(words.search('invoices', {}, signal)).rejects.toMatchObject({ code: 'tool.unavailable' })
    await expect(retrieval.open(agent, signal)).rejects.toMatchObject({ code: 'tool.unavailable' })
  })
})

describe('a tool that cannot start', () => {
  it('throws an error with its name and a remedy', async () => {
    const { retrieval, folder } = await openHarness({ 'a.md': '# A\n\none' })
    await expect(
      retrieval.open(agentOf(folder, hierarchical(join(folder.docs, 'gone'))), signal),
    ).rejects.toMatchObject({
      code: 'tool.unavailable',
      message: expect.stringMatching(/^tool "kb": .*gone does not exist$/),
    })
  })

  it('throws if embedding fails, and never stores an empty vector', async () => {
    const nobody = async () =>
      ({ wire: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'made-up', apiVersion: null }) as const
    const { retrieval, folder } = await openHarness({ 'a.md': '# A\n\none' }, nobody)
    const failure = retrieval.open(agentOf(folder, hierarchical(folder.docs)), signal)
    await expect(failure).rejects.toMatchObject({
      code: 'tool.unavailable',
      message: expect.stringContaining('cannot be reached'),
    })
  }, 60_000)

  it('is left out with a warning if the file sets on_failure: warn', async () => {
    const { retrieval, folder, warnings } = await openHarness({ 'a.md': '# A\n\none' })
    const gone = hierarchical(join(folder.docs, 'gone'), { name: 'gone', onFailure: 'warn' })
    const tools = await retrieval.open(agentOf(folder, gone, hierarchical(folder.docs)), signal)
    expect(tools.map(({ name }) => name)).toEqual(['kb'])
    expect(warnings).toMatchObject([{ tool: 'gone', error: expect.stringContaining('does not exist') }])
  })

  it('reports which documents were left out', async () => {
    const { retrieval, folder, warnings } = await openHarness({ 'a.md': '# A\n\none', 'b.pdf': 'x' })
    await retrieval.open(agentOf(folder, hierarchical(folder.docs)), signal)
    expect(warnings).toMatchObject([{ path: 'docs/b.pdf', reason: 'of an unsupported type' }])
  })
})
