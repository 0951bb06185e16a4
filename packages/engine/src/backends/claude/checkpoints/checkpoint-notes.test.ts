import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserMessageId } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { copyNotes, createCheckpointNotes } from './checkpoint-notes.ts'
import { changedFiles, maxFiles, takeManifest } from './folder-manifest.ts'
import { trackedFiles } from './git-index.ts'

const umsg = (number: number) => UserMessageId.parse(`umsg_number${number}`)
const bash = { toolName: 'Bash' }
const nothingKnown = { checkpointed: new Set<string>(), isTracked: () => false }

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-checkpoints-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function setUp() {
  const [folder, cwd] = [newFolder(), newFolder()]
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  return { folder, cwd, write, notes: createCheckpointNotes({ folder, cwd, hidden: [] }) }
}

describe('createCheckpointNotes', () => {
  it('takes a manifest before the first call that may change files, for all messages so far', async () => {
    const { notes, write } = setUp()
    write('a.txt', 'one')
    await notes.note(umsg(1))
    await notes.before({ toolName: 'Read' })
    expect(await notes.find(umsg(1))).toBe('unchanged')
    await notes.note(umsg(2))
    await Promise.all([notes.before(bash), notes.before(bash)])
    write('b.txt', 'two')
    await notes.note(umsg(3))
    await notes.before(bash)
    expect(await notes.find(umsg(1))).toMatchObject({ files: { 'a.txt': expect.any(String) } })
    expect(await notes.find(umsg(2))).toEqual(await notes.find(umsg(1)))
    expect(await notes.find(umsg(3))).toMatchObject({ files: { 'b.txt': expect.any(String) } })
    expect(await notes.find(umsg(4))).toBeNull()
  })

  it('takes a manifest for a message that is still being written', async () => {
    const { notes, write } = setUp()
    await notes.note(umsg(1))
    await notes.before(bash)
    void notes.note(umsg(2))
    await notes.before(bash)
    write('a.txt', 'one')
    expect(await notes.find(umsg(2))).toMatchObject({ files: {} })
  })

  it('knows nothing of a message whose manifest could not be taken, even if a later one succeeds', async () => {
    const { folder, cwd, notes, write } = setUp()
    await notes.note(umsg(1))
    // A folder blocks the path of the manifest for the empty folder.
    const name = createHash('sha256')
      .update(JSON.stringify(await takeManifest(cwd, [])))
      .digest('hex')
    mkdirSync(join(folder, 'checkpoints', `${name.slice(0, 32)}.json`))
    await notes.before(bash)
    write('a.txt', 'changed by the call')
    expect(await notes.find(umsg(1))).toBeNull()
    await notes.note(umsg(2))
    await notes.before(bash)
    expect(await notes.find(umsg(1))).toBeNull()
    expect(await createCheckpointNotes({ folder, cwd, hidden: [] }).find(umsg(1))).toBeNull()
    expect(await notes.find(umsg(2))).toMatchObject({ files: { 'a.txt': expect.any(String) } })
  })

  it('keeps its notes across processes and copies them to a branch', async () => {
    const { folder, cwd, notes, write } = setUp()
    write('a.txt', 'one')
    await notes.note(umsg(1))
    await notes.before(bash)
    const found = await createCheckpointNotes({ folder, cwd, hidden: [] }).find(umsg(1))
    expect(found).toEqual(await notes.find(umsg(1)))
    const branch = newFolder()
    await copyNotes(folder, branch)
    expect(await createCheckpointNotes({ folder: branch, cwd, hidden: [] }).find(umsg(1))).toEqual(found)
  })

  it('keeps notes for the last fifty messages and each manifest once', async () => {
    const { folder, notes, write } = setUp()
    for (let number = 1; number <= 55; number += 1) {
      await notes.note(umsg(number))
      await notes.before(bash)
      if (number % 20 === 0) write(`${number}.txt`, 'changed')
    }
    expect(await notes.find(umsg(5))).toBeNull()
    expect(await notes.find(umsg(6))).not.toBeNull()
    expect(readdirSync(join(folder, 'checkpoints'))).toHaveLength(4)
  })

  it('does not write through a link at the path of its folder', async () => {
    const { folder, notes } = setUp()
    const elsewhere = newFolder()
    symlinkSync(elsewhere, join(folder, 'checkpoints'))
    await notes.note(umsg(1))
    await notes.before(bash)
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

describe('changedFiles', () => {
  it('names changed, created and removed files, except those that the CLI restores', async () => {
    const { cwd, write } = setUp()
    for (const name of ['same', 'changed', 'touched', 'removed', 'restored']) write(name, 'text')
    const before = await takeManifest(cwd, [])
    write('changed', 'other text')
    write('restored', 'other text')
    write('made', 'text')
    utimesSync(join(cwd, 'touched'), new Date(0), new Date(0))
    rmSync(join(cwd, 'removed'))
    const known = { ...nothingKnown, checkpointed: new Set(['restored']) }
    const changed = changedFiles(before, await takeManifest(cwd, []), known)
    expect(changed.map(({ path }) => path)).toEqual(['changed', 'made', 'removed', 'touched'])
  })

  it('does not read very large folders but reports that they changed', async () => {
    const { cwd } = setUp()
    mkdirSync(join(cwd, 'node_modules', 'one'), { recursive: true })
    mkdirSync(join(cwd, 'ours'))
    const before = await takeManifest(cwd, [join(cwd, 'ours')])
    mkdirSync(join(cwd, 'node_modules', 'two'))
    writeFileSync(join(cwd, 'ours', 'database'), '')
    const changed = changedFiles(before, await takeManifest(cwd, [join(cwd, 'ours')]), nothingKnown)
    expect(changed).toEqual([{ path: 'node_modules', reason: expect.stringContaining('not tracked') }])
  })

  it('reports unknown changes if there are too many files', async () => {
    const { cwd, write } = setUp()
    for (let number = 0; number <= maxFiles; number += 1) write(String(number), '')
    const large = await takeManifest(cwd, [])
    expect(large.isTooLarge).toBe(true)
    expect(changedFiles(large, large, nothingKnown)).toEqual([
      { path: '.', reason: expect.stringContaining('not known') },
    ])
  })
})

it('reads the tracked files without running git', async () => {
  const { cwd, write } = setUp()
  mkdirSync(join(cwd, 'deep', 'folder'), { recursive: true })
  for (const name of ['a.txt', 'deep/folder/a-longer-name.txt', 'untracked']) write(name, '')
  execFileSync('git', ['init', '-q'], { cwd })
  execFileSync('git', ['add', 'a.txt', 'deep'], { cwd })
  expect([...(await trackedFiles(cwd))].sort()).toEqual(['a.txt', 'deep/folder/a-longer-name.txt'])
  writeFileSync(join(cwd, '.git', 'index'), 'DIRC not an index at all')
  expect((await trackedFiles(cwd)).size).toBe(0)
})
