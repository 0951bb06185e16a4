import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { NewPassage, PassageStore, StoredFile } from '../passage-store.ts'
import { openDocumentFolder } from '../testing/document-folder.fixture.ts'
import { createSqlPassages } from './create-sql-passages.ts'

const clock = { now: () => new Date() }

const passage = (text: string, change: Partial<NewPassage> = {}): NewPassage => ({
  text,
  headings: [],
  line: 1,
  row: null,
  details: {},
  definitions: [],
  references: [],
  madeFrom: text,
  vector: null,
  ...change,
})

const file = (path: string) => ({ path, hash: path, size: 1, mtimeMs: 1.5 })

async function put(store: PassageStore, stored: StoredFile, passages: readonly NewPassage[]): Promise<void> {
  const writing = store.writeFile(stored)
  await writing.add(passages)
  await writing.finish()
}

async function openStore() {
  const { dataDir } = await openDocumentFolder({})
  const path = join(dataDir, 'kb.db')
  const store = createSqlPassages(path, clock)
  onTestFinished(() => store.close())
  return { store, path }
}

describe('the passage store', () => {
  it('is readable by its owner only, including its side files', async () => {
    const { store, path } = await openStore()
    await put(store, file('a'), [passage('text')])
    for (const name of [path, `${path}-wal`]) expect((await stat(name)).mode & 0o777).toBe(0o600)
  })

  it('ranks by cosine, by words and by phrase', async () => {
    const { store } = await openStore()
    await put(store, file('a'), [
      passage('the seal swims', { vector: new Float32Array([1, 0]) }),
      passage('swims the seal', { vector: new Float32Array([0.6, 0.8]) }),
      passage('a boat floats', { vector: new Float32Array([0, 1]) }),
    ])
    expect(store.nearest(new Float32Array([2, 0]), 2).map(({ score }) => Math.round(score * 10) / 10)).toEqual([1, 0.6])
    expect(store.matchingWords(['seal', 'boats'], 10)).toHaveLength(3)
    const [found, ...others] = store.load(store.matchingPhrase(['swims', 'the'], 10).map(({ id }) => id))
    expect(found).toMatchObject({ text: 'swims the seal', path: 'a' })
    expect(others).toEqual([])
  })

  it('treats quotes and operators in a query as words', async () => {
    const { store } = await openStore()
    await put(store, file('a'), [passage('say "AND" twice')])
    expect(store.matchingWords(['"and"', 'NEAR(', '*'], 5)).toHaveLength(1)
  })

  it('stores invalid characters in a readable form', async () => {
    const { store } = await openStore()
    await put(store, file('a'), [passage('half \ud83d and\0nul')])
    expect(store.load([1])).toMatchObject([{ text: 'half \ufffd and nul' }])
  })

  it('stores nothing of a file whose passages are invalid', async () => {
    const { store } = await openStore()
    await put(store, file('a'), [passage('one', { vector: new Float32Array(4).fill(1) })])
    const bad = [
      passage('two', { vector: new Float32Array(4).fill(1) }),
      passage('three', { vector: new Float32Array(3).fill(1) }),
    ]
    await expect(put(store, file('b'), bad)).rejects.toThrow('4 numbers')
    expect(store.files().map(({ path }) => path)).toEqual(['a'])
    expect(() => store.nearest(new Float32Array(3), 1)).toThrow('quarterdeck retrieval ingest --force')
  })

  it('lets one process write at a time', async () => {
    const { store, path } = await openStore()
    // Another store of the same process is another writer too.
    const other = createSqlPassages(path, clock)
    onTestFinished(() => other.close())
    expect(await store.claim(60_000)).toBe(true)
    expect(await other.claim(60_000)).toBe(false)
    expect(await store.claim(60_000)).toBe(true)
    await other.release()
    expect(await other.claim(60_000)).toBe(false)
    await store.release()
    expect(await other.claim(60_000)).toBe(true)
  })

  it('distinguishes a later process with the same pid', async () => {
    const { store, path } = await openStore()
    const earlier = createSqlPassages(path, clock, { id: 'earlier', pid: process.pid, startTime: '1' })
    onTestFinished(() => earlier.close())
    expect(await earlier.claim(60_000)).toBe(true)
    expect(await store.claim(60_000)).toBe(true)
  })

  it('waits for another writer without blocking the process', async () => {
    const { store, path } = await openStore()
    const other = new Libsql(path)
    onTestFinished(() => void other.close())
    other.exec('begin immediate')
    const written = put(store, file('a'), [passage('text')])
    // If the process were blocked, this would never run.
    setTimeout(() => other.exec('commit'), 300)
    await written
    expect(store.countPassages()).toBe(1)
  })

  it('suggests a remedy for a file that is not a database', async () => {
    const { dataDir, write } = await openDocumentFolder({})
    await write('x', '')
    const path = join(dataDir, '..', 'docs', 'kb.db')
    await writeFile(path, 'this is not a database, but it is long enough to be looked at '.repeat(40))
    expect(() => createSqlPassages(path, clock)).toThrow(/kb\.db cannot be opened .*: delete it; it will be rebuilt/)
  })
})
