import { join } from 'node:path'
import type { HierarchicalDocumentTool } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import {
  agentOf,
  agreement,
  hierarchical,
  openHarness,
  openTool,
  vectorstore,
} from './testing/retrieval-harness.fixture.ts'

const { signal } = new AbortController()

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
