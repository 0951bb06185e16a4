import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserMessageId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { type RewindFilesOptions, rewindFiles } from './rewind-files.ts'

const messageId = UserMessageId.parse('umsg_first1')

function rewindWith(restore: () => Promise<unknown>): RewindFilesOptions {
  const rewindFiles: RewindFilesOptions['process']['rewindFiles'] = async (_uuid, { dryRun }) =>
    dryRun ? { canRewind: true, filesChanged: ['/project/a.txt'] } : restore()
  const notes: RewindFilesOptions['notes'] = {
    note: async () => undefined,
    before: async () => undefined,
    find: async () => 'unchanged',
    around: async () => ({ earlier: [], later: [] }),
  }
  const checkpointed = async () => new Set<string>()
  return { process: { rewindFiles }, messageId, dryRun: false, notes, cwd: '/project', hidden: [], checkpointed }
}

it.each([
  ['does not answer', async () => null],
  ['refuses', async () => ({ canRewind: false, error: 'EACCES' })],
  ['dies', () => Promise.reject(new Error('the stream ended'))],
])('reports that files may be partly restored when a process %s during a rewind', async (_how, restore) => {
  const error = await rewindFiles(rewindWith(restore)).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'rewind.unavailable',
    message: expect.stringContaining('may have been restored'),
  })
})

it('names in a dry run the files that are blocked by a link or a folder', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'quarterdeck-rewind-'))
  await writeFile(join(cwd, 'plain.txt'), 'later')
  await writeFile(join(cwd, 'elsewhere.txt'), 'not ours')
  await symlink(join(cwd, 'elsewhere.txt'), join(cwd, 'link.txt'))
  await symlink(join(cwd, 'nowhere.txt'), join(cwd, 'dangling.txt'))
  await mkdir(join(cwd, 'folder.txt'))
  const names = ['plain.txt', 'removed.txt', 'link.txt', 'dangling.txt', 'folder.txt']
  const process: RewindFilesOptions['process'] = {
    rewindFiles: async () => ({ canRewind: true, filesChanged: names.map((name) => join(cwd, name)) }),
  }
  const report = await rewindFiles({ ...rewindWith(async () => null), process, cwd, dryRun: true })
  expect(report.restored).toEqual(['plain.txt', 'removed.txt'])
  expect(report.notRestored.map(({ path }) => path)).toEqual(['link.txt', 'dangling.txt', 'folder.txt'])
})
