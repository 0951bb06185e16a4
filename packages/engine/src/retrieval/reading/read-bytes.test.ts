import { spawnSync } from 'node:child_process'
import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDocumentFolder } from '../testing/document-folder.fixture.ts'
import { readBytes } from './read-bytes.ts'

describe('readBytes', () => {
  it('reads exactly this file and nothing that has replaced it', async () => {
    const { project, docs, write } = await openDocumentFolder({ 'deep/a.md': 'text' })
    const file = join(docs, 'deep/a.md')
    expect(Buffer.from(await readBytes(file)).toString()).toBe('text')

    await mkdir(join(project, '.hidden'))
    await writeFile(join(project, '.hidden/a.md'), 'secret')
    await rm(file)
    await symlink('../../.hidden/a.md', file)
    await expect(readBytes(file)).rejects.toThrow('ELOOP')

    await rename(join(docs, 'deep'), join(docs, 'away'))
    await symlink('../.hidden', join(docs, 'deep'))
    await expect(readBytes(file)).rejects.toThrow('has been replaced by another file')

    await rm(join(docs, 'deep'))
    await write('deep/b.md', '')
    spawnSync('mkfifo', [file])
    await expect(readBytes(file)).rejects.toThrow('has been replaced by another file')
  })

  it('refuses a file that is too large', async () => {
    const { docs } = await openDocumentFolder({ 'a.md': '' })
    await truncate(join(docs, 'a.md'), 64 * 1024 * 1024 + 1)
    await expect(readBytes(join(docs, 'a.md'))).rejects.toThrow('is larger than 64 MB')
  })
})
