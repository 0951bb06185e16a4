import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { HeadNote } from './head-note.ts'
import { appendHead, openHeadsFile, readHeads } from './heads-file.ts'

const noteOf = (entries: number): HeadNote => ({ entries, hash: `h${entries}`, sessions: { [`ses_${entries}`]: 1 } })

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-heads-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'heads')
}

it('reads back the notes of several writers, from a file that only its owner can read', async () => {
  const file = await newFile()
  const [one, other] = [openHeadsFile(file), openHeadsFile(file)]
  one.add(noteOf(1))
  other.add(noteOf(2))
  one.add(noteOf(3))
  expect(await other.read()).toEqual([noteOf(1), noteOf(2), noteOf(3)])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await one.clear()
  expect(await other.read()).toEqual([])
})

it('skips an incomplete line and keeps the notes that the next process adds after it', async () => {
  const file = await newFile()
  openHeadsFile(file).add(noteOf(1))
  await appendFile(file, JSON.stringify(noteOf(2)).slice(0, 20))
  expect(await readHeads(file)).toEqual([noteOf(1)])
  openHeadsFile(file).add(noteOf(3))
  expect(await readHeads(file)).toEqual([noteOf(1), noteOf(3)])
})

it.each(['the store', 'a copy'])('stays bounded and keeps the newest notes of %s', async (writer) => {
  const file = await newFile()
  const heads = openHeadsFile(file, 1000)
  for (let entries = 1; entries <= 1000; entries += 1) {
    if (writer === 'the store') heads.add(noteOf(entries))
    else await appendHead(file, noteOf(entries), 1000)
  }
  const names = await readdir(join(file, '..'))
  const sizes = await Promise.all(names.map(async (name) => (await readFile(join(file, '..', name))).length))
  // The size is checked after every 64 notes of about 60 bytes.
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2 * (1000 + 64 * 100))
  const notes = await heads.read()
  expect(notes.at(-1)).toEqual(noteOf(1000))
  expect(notes.length).toBeGreaterThan(10)
})

it('writes to the new file after another process renamed the full one', async () => {
  const file = await newFile()
  const [one, other] = [openHeadsFile(file, 1000), openHeadsFile(file, 1000)]
  one.add(noteOf(1))
  for (let entries = 2; entries <= 1000; entries += 1) other.add(noteOf(entries))
  for (let entries = 1001; entries <= 1200; entries += 1) one.add(noteOf(entries))
  expect((await one.read()).at(-1)).toEqual(noteOf(1200))
  one.close()
  other.close()
})

it('does not throw when the note cannot be written', async () => {
  const file = join(await newFile(), 'no', 'such', 'folder')
  openHeadsFile(file).add(noteOf(1))
  expect(await readHeads(file)).toEqual([])
})
