import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { truncate, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { identify } from '../system/linux-processes.ts'
import type { Embedder } from './embedders/embedder.ts'
import { type IngestionPlan, type IngestionProgress, ingest } from './ingest.ts'
import type { PassageStore } from './passage-store.ts'
import type { Writer } from './sql/claim-writing.ts'
import { createSqlPassages } from './sql/create-sql-passages.ts'
import { type CountingEmbedder, createCountingEmbedder } from './testing/counting-embedder.fixture.ts'
import { type DocumentFolder, openDocumentFolder } from './testing/document-folder.fixture.ts'

const files = {
  'a.md': '# Apples\n\nRed and round.\n\n# Pears\n\nGreen.',
  'b.txt': 'BOATS\n\nThey float.',
  'deep/c.csv': 'id,name\n1,Oar\n2,Sail\n',
}

const clock = { now: () => new Date() }

function openStore(folder: DocumentFolder, ...writer: [Writer?]) {
  const store = createSqlPassages(join(folder.dataDir, 'kb.db'), clock, ...writer)
  onTestFinished(() => store.close())
  return store
}

/** Exists on every machine. */
const firstProcess = (): Writer => ({ id: 'first', pid: 1, startTime: identify(1).startTime ?? 'unknown' })

async function openHarness(change: Partial<IngestionPlan> = {}) {
  const folder = await openDocumentFolder(files)
  const embedder = createCountingEmbedder()
  const store = openStore(folder)
  const plan: IngestionPlan = {
    source: folder.docs,
    agentFile: join(folder.project, 'agent.yaml'),
    dataDir: folder.dataDir,
    records: null,
    isContextual: true,
    chunking: {
      strategy: 'structure',
      maxTokens: 200,
      overlap: 0,
      maxSubsectionDepth: null,
      extractDefinitions: false,
      extractReferences: false,
    },
    ...change,
  }
  const progress: IngestionProgress[] = []
  const run = (
    options: { force?: boolean; plan?: IngestionPlan; embedder?: CountingEmbedder; signal?: AbortSignal } = {},
  ) =>
    ingest({ store, embedder: options.embedder ?? embedder }, options.plan ?? plan, {
      force: options.force ?? false,
      signal: options.signal ?? new AbortController().signal,
      onProgress: (step) => progress.push(step),
    })
  return { folder, embedder, store, plan, progress, run }
}

describe('ingest', () => {
  it('reads every file once, with progress per file', async () => {
    const { run, progress, embedder } = await openHarness()
    expect(await run()).toMatchObject({ files: 3, passages: 5, changed: 3, removed: 0, embedded: 5 })
    expect(progress.map(({ filesDone, files, passages }) => [filesDone, files, passages])).toEqual([
      [1, 3, 2],
      [2, 3, 3],
      [3, 3, 5],
    ])
    expect(embedder.texts).toContain('Apples\nRed and round.')
  })

  it('does no work on an unchanged folder: nothing embedded, nothing written', async () => {
    const { run, embedder, store, progress, plan } = await openHarness()
    await run()
    embedder.texts.length = 0
    progress.length = 0
    const writing = new Proxy(store, {
      get(target, name) {
        if (
          ['writeFile', 'removeLeftovers', 'touchFile', 'removeFile', 'begin', 'finish', 'claim'].includes(String(name))
        )
          throw new Error(`${String(name)} was called`)
        return Reflect.get(target, name)
      },
    })
    const again = await ingest({ store: writing, embedder }, plan, {
      force: false,
      signal: new AbortController().signal,
      onProgress: (step) => progress.push(step),
    })
    expect(again).toMatchObject({ passages: 5, changed: 0, removed: 0, embedded: 0 })
    expect(embedder.texts).toEqual([])
    expect(progress).toEqual([])
  })

  it('reads only a changed file and embeds only its new passages', async () => {
    const { run, embedder, folder, store } = await openHarness()
    await run()
    embedder.texts.length = 0
    await folder.write('a.md', '# Apples\n\nRed and round.\n\n# Pears\n\nYellow by now.')
    expect(await run()).toMatchObject({ passages: 5, changed: 1, embedded: 1 })
    expect(embedder.texts).toEqual(['Pears\nYellow by now.'])
    expect(store.matchingWords(['green'], 5)).toEqual([])
    expect(store.matchingWords(['yellow'], 5)).toHaveLength(1)
  })

  it('does not embed a file whose time alone has changed', async () => {
    const { run, embedder, folder } = await openHarness()
    await run()
    embedder.texts.length = 0
    await utimes(join(folder.docs, 'b.txt'), new Date(1), new Date(1))
    expect(await run()).toMatchObject({ changed: 0, embedded: 0 })
    expect(embedder.texts).toEqual([])
  })

  it('removes the passages of a deleted file', async () => {
    const { run, folder, store } = await openHarness()
    await run()
    await folder.remove('b.txt')
    expect(await run()).toMatchObject({ files: 2, passages: 4, changed: 0, removed: 1 })
    expect(store.matchingWords(['float'], 5)).toEqual([])
  })

  it('continues where a failure stopped it', async () => {
    const { run, embedder } = await openHarness()
    embedder.before = () => {
      if (embedder.texts.length > 0) throw new Error('the provider is down')
    }
    await expect(run()).rejects.toThrow('the provider is down')
    embedder.before = () => undefined
    embedder.texts.length = 0
    expect(await run()).toMatchObject({ passages: 5, changed: 2, embedded: 3 })
    expect(embedder.texts).not.toContain('Apples\nRed and round.')
  })

  it('rebuilds everything when the settings change it and when forced', async () => {
    const { run, embedder, plan } = await openHarness()
    await run()
    const changes = [
      { plan: { ...plan, chunking: { ...plan.chunking, maxTokens: 100 } } },
      { plan: { ...plan, isContextual: false } },
      { embedder: createCountingEmbedder(32, 'another') },
      { force: true },
    ]
    for (const change of changes) {
      embedder.texts.length = 0
      expect(await run(change)).toMatchObject({ changed: 3, embedded: 5 })
    }
  })

  it('keeps stored passages searchable while it rebuilds everything', async () => {
    const { run, embedder, store } = await openHarness()
    await run()
    embedder.before = () => {
      throw new Error('the provider is down')
    }
    await expect(run({ force: true })).rejects.toThrow('the provider is down')
    expect(store.matchingWords(['float'], 5)).toHaveLength(1)
    expect(store.isComplete()).toBe(true)
  })

  it('rebuilds everything with vectors of another length when forced', async () => {
    const { run, store } = await openHarness()
    await run()
    expect(await run({ force: true, embedder: createCountingEmbedder(8) })).toMatchObject({ changed: 3, embedded: 5 })
    expect(store.nearest(new Float32Array(8).fill(1), 9)).toHaveLength(5)
    expect(store.isComplete()).toBe(true)
  })

  it('is complete only when every file was read', async () => {
    const { run, embedder, store } = await openHarness()
    embedder.before = () => {
      if (embedder.texts.length > 0) throw new Error('the provider is down')
    }
    await expect(run()).rejects.toThrow('the provider is down')
    expect(store.countPassages()).toBeGreaterThan(0)
    expect(store.isComplete()).toBe(false)
    embedder.before = () => undefined
    await run()
    expect(store.isComplete()).toBe(true)
  })

  it('refuses vectors of another length instead of mixing them', async () => {
    const { run, folder } = await openHarness()
    await run()
    await folder.write('new.md', '# New\n\ntext')
    await expect(run({ embedder: createCountingEmbedder(8) })).rejects.toThrow(
      'vectors of 16 numbers and the embedder now returns 8',
    )
  })

  it('waits for another process that is ingesting, and then finds everything done', async () => {
    const { run, folder, progress, store } = await openHarness()
    await run()
    await folder.write('b.txt', 'changed')
    const other = openStore(folder, firstProcess())
    expect(await other.claim(60_000)).toBe(true)
    progress.length = 0
    const waiting = run()
    await expect.poll(() => progress.at(-1)?.isWaiting, { timeout: 20_000 }).toBe(true)
    expect(store.matchingWords(['changed'], 5)).toEqual([])
    await other.release()
    expect(await waiting).toMatchObject({ changed: 1 })
  })

  it('takes over from a process that died', async () => {
    const { run, folder } = await openHarness()
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    const other = openStore(folder, { id: 'dead', pid, startTime: '1' })
    expect(await other.claim(600_000)).toBe(true)
    expect(await run()).toMatchObject({ changed: 3 })
  })

  it.each([
    ['cannot be renewed', () => Promise.reject(new Error('the disk is full')), 'the disk is full'],
    ['belongs to another process', async () => false, 'another process has started'],
  ])('ends when its claim %s', async (_name, claimAgain, message) => {
    const { store, plan } = await openHarness()
    let claims = 0
    const losing = { ...store, claim: (forMs: number) => (claims++ === 0 ? store.claim(forMs) : claimAgain()) }
    let isEmbedding = false
    const embedder: Embedder = {
      name: 'waiting',
      embed: (_texts, signal) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          isEmbedding = true
        }),
    }
    vi.useFakeTimers({ toFake: ['setInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const options = { force: false, signal: new AbortController().signal, onProgress: () => undefined }
    const failed = expect(ingest({ store: losing, embedder }, plan, options)).rejects.toThrow(message)
    while (!isEmbedding) await pause(5)
    vi.advanceTimersByTime(15_000)
    await failed
  })

  it('stops waiting when it is aborted', async () => {
    const { run, folder } = await openHarness()
    await openStore(folder, firstProcess()).claim(60_000)
    await expect(run({ signal: AbortSignal.timeout(50) })).rejects.toThrow()
  })
})

describe('a large file', () => {
  const rows = 20_000
  const table = (word: string) => `id,name\n${Array.from({ length: rows }, (_, row) => `${row},${word}`).join('\n')}\n`
  const options = { force: false, signal: new AbortController().signal, onProgress: () => undefined }

  async function openTable(word: string) {
    const { folder, store, plan } = await openHarness()
    await folder.write('deep/c.csv', table(word))
    return { folder, store, plan, run: (embedder: Embedder | null) => ingest({ store, embedder }, plan, options) }
  }

  it('is chunked, written and removed without blocking others', async () => {
    const { folder, store, plan } = await openTable('oar')
    let turns = 0
    const count = () => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    onTestFinished(() => clearImmediate(next))
    const turnsAt: number[] = []
    const watched: PassageStore = {
      ...store,
      writeFile(file) {
        const writing = store.writeFile(file)
        return {
          ...writing,
          async add(passages) {
            if (file.path.endsWith('.csv')) turnsAt.push(turns)
            await writing.add(passages)
          },
        }
      },
      async removeFile(path) {
        const before = turns
        await store.removeFile(path)
        turnsAt.push(turns - before)
      },
    }
    await ingest({ store: watched, embedder: null }, plan, options)
    expect(new Set(turnsAt).size).toBe(rows / 500)
    turnsAt.length = 0
    await folder.remove('deep/c.csv')
    await ingest({ store: watched, embedder: null }, plan, options)
    expect(turnsAt[0]).toBeGreaterThanOrEqual(rows / 500)
  })

  it('stays searchable in its old version until complete, and is read again if it was left half done', async () => {
    const { folder, store, run } = await openTable('oar')
    await run(createCountingEmbedder())
    await folder.write('deep/c.csv', table('sail'))
    const failing = createCountingEmbedder()
    const found: number[][] = []
    const count = (word: string) => store.matchingWords([word], rows).length
    const nearest = () => store.nearest(new Float32Array(16).fill(1), 2 * rows).length
    failing.before = () => {
      found.push([count('sail'), count('oar'), nearest()])
      if (found.length > 3) throw new Error('the provider is down')
    }
    await expect(run(failing)).rejects.toThrow('the provider is down')
    const before = [0, rows, rows + 3]
    expect(found).toEqual([before, before, before, before])
    expect(store.hasLeftovers()).toBe(true)
    expect(await run(createCountingEmbedder())).toMatchObject({ changed: 1, passages: rows + 3, embedded: rows })
    expect([count('sail'), count('oar'), nearest()]).toEqual([rows, 0, rows + 3])
    expect(store.hasLeftovers()).toBe(false)
  })

  it('is not written any further after another process has taken over', async () => {
    const { folder, store } = await openTable('oar')
    const writing = store.writeFile({ path: 'x', hash: 'x', size: 1, mtimeMs: 1 })
    await writing.add([])
    await openStore(folder).removeLeftovers()
    await expect(writing.add([])).rejects.toThrow('another process has started')
    await expect(writing.finish()).rejects.toThrow('another process has started')
    expect(store.files()).toEqual([])
  })
})

describe('ingestion continues after', () => {
  it('a passage without words, which semantic search does not find', async () => {
    const { run, folder, embedder, store } = await openHarness()
    await folder.write('rule.md', '---\n')
    await folder.write('stars.txt', '* * *')
    expect(await run()).toMatchObject({ files: 5, changed: 5, skipped: [] })
    expect(embedder.texts.filter((text) => !/\p{L}/u.test(text))).toEqual([])
    const [vector] = await embedder.embed(['boats'], new AbortController().signal)
    const found = store.load(store.nearest(vector ?? new Float32Array(), 20).map(({ id }) => id))
    expect(new Set(found.map(({ path }) => path))).toEqual(new Set(['docs/a.md', 'docs/b.txt', 'docs/deep/c.csv']))
  })

  it('a file that is too large, which is named and removed from the index', async () => {
    const { run, folder, store } = await openHarness()
    await run()
    await truncate(join(folder.docs, 'b.txt'), 64 * 1024 * 1024 + 1)
    expect(await run()).toMatchObject({
      files: 2,
      removed: 1,
      skipped: [{ path: 'docs/b.txt', reason: 'larger than 64 MB: split it' }],
    })
    expect(store.matchingWords(['float'], 5)).toEqual([])
  })

  it('a file that is deleted meanwhile, which is named and not found', async () => {
    const { run, folder, embedder, store } = await openHarness()
    await run()
    for (const path of Object.keys(files)) await utimes(join(folder.docs, path), new Date(1), new Date(1))
    await folder.write('a.md', '# Apples\n\nSweet by now.')
    embedder.before = () => rmSync(join(folder.docs, 'b.txt'))
    expect(await run()).toMatchObject({
      files: 2,
      changed: 1,
      skipped: [{ path: 'docs/b.txt', reason: 'deleted since the folder was read' }],
    })
    expect(store.matchingWords(['float'], 5)).toEqual([])
    expect(store.matchingWords(['sweet'], 5)).toHaveLength(1)
  })
})

describe('ingestion fails and', () => {
  it('names a source without documents and the files there instead', async () => {
    const { run, folder } = await openHarness()
    for (const path of Object.keys(files)) await folder.remove(path)
    await expect(run()).rejects.toThrow('contains no documents')
    await folder.write('scan.pdf', 'x')
    await expect(run()).rejects.toThrow('docs/scan.pdf is of an unsupported type')
  })

  it('names a folder of empty files', async () => {
    const { run, folder } = await openHarness()
    for (const path of Object.keys(files)) await folder.write(path, '  \n')
    await expect(run()).rejects.toThrow('has no text in its 3 files')
  })

  it('names the file that cannot be read and the reason', async () => {
    const { run, folder } = await openHarness()
    await folder.write('bad.json', '{"a": ')
    await expect(run()).rejects.toThrow(/^docs\/bad\.json is not valid JSON/)
    await folder.write('bad.json', `${'['.repeat(50_000)}{}${']'.repeat(50_000)}`)
    await expect(run()).rejects.toThrow('docs/bad.json is nested too deeply')
    await folder.write('bad.json', new Uint8Array([1, 0, 2, 0, 0, 0, 7]))
    await expect(run()).rejects.toThrow('docs/bad.json is not text')
  })
})
