import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openCallKey } from './open-call-key.ts'

it('is made once, is the same for all who come at once, and is for its owner alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-key-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'call-key')
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => openCallKey(file)))
  expect(first).toHaveLength(32)
  for (const other of [...others, await openCallKey(file)]) expect(other).toEqual(first)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['call-key'])
})
