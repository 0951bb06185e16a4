import { mkdtemp, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

const newFolder = () => mkdtemp(join(tmpdir(), 'quarterdeck-folder-'))

it('creates a folder with its parents, even when several callers create it at once', async () => {
  const base = await newFolder()
  const folder = join(base, 'a', 'b', 'c')
  await Promise.all(Array.from({ length: 8 }, () => makeFolder(folder, 0o700)))
  for (const made of [join(base, 'a'), folder]) expect((await stat(made)).mode & 0o777).toBe(0o700)
})

it('refuses a path through a file', async () => {
  const file = join(await newFolder(), 'file')
  await writeFile(file, '')
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(makeFolder(join(file, 'x'))).rejects.toMatchObject({ code: expect.stringMatching(/EEXIST|ENOTDIR/) })
})

it.runIf(process.platform === 'linux')('refuses a file system that takes no new folders', async () => {
  await expect(makeFolder('/proc/x/db')).rejects.toMatchObject({ code: expect.stringMatching(/ENOENT|EACCES|EPERM/) })
})
