import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openCallKey } from './open-call-key.ts'

const unused = { isInUse: async () => false }

it('creates the key once, returns the same one to concurrent callers, and restricts it to its owner', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-key-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'call-key')
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => openCallKey(file, unused)))
  expect(first).toHaveLength(32)
  for (const other of [...others, await openCallKey(file, unused)]) expect(other).toEqual(first)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['call-key'])
})

const used = { isInUse: async () => true }

it.each([
  ['missing', null],
  ['truncated', Buffer.alloc(7)],
])('does not replace a key that is %s and in use, unless the loss is accepted', async (_state, content) => {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-key-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'call-key')
  if (content !== null) await writeFile(file, content)
  const refused = openCallKey(file, used)
  await expect(refused).rejects.toMatchObject({ code: 'store.corrupt' })
  await expect(refused).rejects.toThrow(/call-key .*quarterdeck serve --accept-loss/)
  const accepted: string[] = []
  const key = await openCallKey(file, { ...used, acceptLoss: async (what) => void accepted.push(what) })
  expect(key).toHaveLength(32)
  expect(accepted).toEqual([expect.stringContaining(file)])
  expect(await openCallKey(file, used)).toEqual(key)
})
