import { UserMessageId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { type Rewind, rewindFiles } from './rewind-files.ts'

const messageId = UserMessageId.parse('umsg_first1')

function rewindWith(restore: () => Promise<unknown>): Rewind {
  const rewindFiles: Rewind['process']['rewindFiles'] = async (_uuid, { dryRun }) =>
    dryRun ? { canRewind: true, filesChanged: ['/project/a.txt'] } : restore()
  const notes: Rewind['notes'] = {
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
])('says that files may be half-way when a process %s in the middle of bringing them back', async (_how, restore) => {
  const error = await rewindFiles(rewindWith(restore)).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'rewind.unavailable',
    message: expect.stringContaining('may have been restored'),
  })
})
