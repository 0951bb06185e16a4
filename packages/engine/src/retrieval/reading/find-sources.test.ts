import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSources } from './find-sources.ts'

let root: string
let project: string

async function write(path: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), 'text')
}

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-sources-')))
  project = join(root, 'project')
  for (const path of [
    'project/docs/a.md',
    'project/docs/b.txt',
    'project/docs/deep/c.md',
    'project/docs/deep/report.pdf',
    'project/docs/.hidden/d.md',
    'project/docs/node_modules/e.md',
    'project/other/f.md',
    'project/..drafts/g.md',
    'outside/secret.md',
    'project/.env',
    'project/.git/config.md',
    'project/.quarterdeck/token',
    'project/linked/node_modules/x',
  ]) {
    await write(path)
  }
  await symlink(join(root, 'outside/secret.md'), join(project, 'docs/out.md'))
  await symlink(join(root, 'outside'), join(project, 'docs/out-folder'))
  await symlink(join(project, 'other/f.md'), join(project, 'docs/inside.md'))
  await symlink(join(project, 'docs'), join(project, 'docs/deep/round'))
  await symlink('../.env', join(project, 'linked/env.md'))
  await symlink('../.git', join(project, 'linked/git'))
  await symlink('../.quarterdeck/token', join(project, 'linked/token.md'))
  await symlink('../.quarterdeck', join(project, 'linked/data'))
  await symlink('../other/f.md', join(project, 'linked/inside.md'))
  await symlink(join(project, 'nothing'), join(project, 'docs/broken.md'))
})
afterAll(async () => rm(root, { recursive: true, force: true }))

const find = async (source: string) => {
  const { files, skipped } = await findSources(join(project, source), {
    projectFolder: project,
    dataDir: join(project, '.quarterdeck'),
  })
  return {
    files: files.map(({ path }) => path),
    skipped: Object.fromEntries(skipped.map(({ path, reason }) => [path, reason])),
  }
}

describe('findSources', () => {
  it('accepts a folder recursively and names the files it leaves out', async () => {
    const { files, skipped } = await find('docs')
    expect(files).toEqual(['docs/a.md', 'docs/b.txt', 'docs/deep/c.md', 'docs/inside.md'])
    expect(skipped).toEqual({
      'docs/broken.md': 'a broken link',
      'docs/deep/report.pdf': 'of an unsupported type',
      'docs/out-folder': 'a link that leads out of the project',
      'docs/out.md': 'a link that leads out of the project',
    })
  })

  it('accepts a single file', async () => {
    expect((await find('docs/b.txt')).files).toEqual(['docs/b.txt'])
  })

  it('accepts a pattern', async () => {
    expect((await find('docs/**/*.md')).files).toEqual(['docs/a.md', 'docs/deep/c.md', 'docs/inside.md'])
    expect((await find('docs/*.md')).files).toEqual(['docs/a.md', 'docs/inside.md'])
    expect((await find('docs/?.{md,txt}')).files).toEqual(['docs/a.md', 'docs/b.txt'])
    expect((await find('docs/[!b].*')).files).toEqual(['docs/a.md'])
  })

  it('treats a folder whose name begins with two dots as part of the project', async () => {
    expect((await find('..drafts')).files).toEqual(['..drafts/g.md'])
  })

  it('reads hidden files only if the source names them, and never through a link', async () => {
    expect(await find('linked')).toEqual({
      files: ['linked/inside.md'],
      skipped: {
        'linked/env.md': 'a link to a hidden file',
        'linked/git': 'a link to a hidden file',
        'linked/token.md': 'in the data folder',
        'linked/data': 'in the data folder',
      },
    })
    expect((await find('docs/.hidden')).files).toEqual(['docs/.hidden/d.md'])
    expect((await find('docs/.hidden/d.md')).files).toEqual(['docs/.hidden/d.md'])
    expect(await find('.quarterdeck')).toEqual({ files: [], skipped: { '.quarterdeck': 'in the data folder' } })
  })

  it('reports a source that does not exist or has an unsupported type', async () => {
    await expect(find('gone')).rejects.toThrow('gone does not exist')
    await expect(find('docs/deep/report.pdf')).rejects.toThrow('only .txt .md')
    // The absolute path is only for readers who may see it.
    await expect(find('gone')).rejects.toMatchObject({ reason: 'missing', fault: 'does not exist' })
    await expect(find('docs/deep/report.pdf')).rejects.toMatchObject({
      reason: 'unsupported',
      fault: expect.stringMatching(/^cannot be read: only \.txt /),
    })
  })
})
