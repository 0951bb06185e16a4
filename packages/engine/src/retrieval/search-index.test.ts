import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { QuarterdeckError } from '@quarterdeck/protocol'
import { createSimulator } from '@quarterdeck/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../ports/logger.ts'
import { dataFolders } from '../system/data-folders.ts'
import { createRetrieval } from './create-retrieval.ts'
import { createSqlPassages } from './sql/create-sql-passages.ts'
import type { DocumentFolder } from './testing/document-folder.fixture.ts'
import {
  agentOf,
  agreement,
  hierarchical,
  openai,
  openHarness,
  openTool,
  vectorstore,
} from './testing/retrieval-harness.fixture.ts'

const { signal } = new AbortController()

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
