import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { randomIds } from '../system/random-ids.ts'
import { createSpareNotes } from './spare-notes.ts'

it('removes the folders of spares that never became a session, and no others', async () => {
  const root = await mkdtemp(join(tmpdir(), 'quarterdeck-notes-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const workspaces = join(root, 'workspaces')
  const newId = () => randomIds.next('ses')
  const [begun, abandoned, other] = [newId(), newId(), newId()]
  for (const name of [begun, abandoned, other]) await mkdir(join(workspaces, name), { recursive: true })
  const options = { folder: join(root, 'spares'), sessionFolders: [workspaces, join(root, 'missing')] }
  const notes = createSpareNotes(options)
  expect(await notes.sweep(async () => false)).toBe(0)
  await notes.add(begun)
  await notes.add(abandoned)
  expect(await createSpareNotes(options).sweep(async (sessionId) => sessionId === begun)).toBe(1)
  expect((await readdir(workspaces)).sort()).toEqual([begun, other].sort())
  expect(await readdir(options.folder)).toEqual([])
})
