// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { findAgentFiles } from '../registry/find-agent-files.ts'
import { tempProject } from '../testing/temp-project.ts'
import { type ConfigSource, readSource } from './config-source.ts'
import { readEnvironment } from './environment.ts'
import { isInsideProject, projectFolderOf, resolvePath } from './project-path.ts'
import { readText } from './read-text.ts'

async function sourceOf(text: string, env: Readonly<Record<string, string>> = {}): Promise<ConfigSource> {
  const project = await tempProject({ 'agent.yaml': text })
  const source = await readSource(project.path('agent.yaml'), { env, homeDir: project.options.homeDir })
  if (source === null) throw new Error('the file was just written')
  return source
}

describe('readSource', () => {
  it('returns null when there is no file', async () => {
    const project = await tempProject()
    expect(await readSource(project.path('agent.yaml'), { env: {}, homeDir: '/nowhere' })).toBeNull()
  })

  it('reports one problem for each path, the first one', async () => {
    const source = await sourceOf('a:\n  b: 1\n  c: 2\n')
    const error = { severity: 'error', code: 'config.invalid' } as const
    source.report({ ...error, path: ['a', 'b'], message: 'first' })
    source.report({ ...error, path: ['a', 'b'], message: 'again' })
    source.report({ ...error, path: ['a', 'b', 'deeper'], message: 'below' })
    source.report({ severity: 'warning', code: 'config.hint', path: ['a', 'b'], message: 'a warning on top' })
    source.report({ ...error, path: ['a', 'c'], message: 'elsewhere' })
    expect(source.problems.map(({ message, line, column }) => [message, line, column])).toEqual([
      ['first', 2, 3],
      ['elsewhere', 3, 3],
    ])
  })

  it('reports several errors about the whole file', async () => {
    const source = await sourceOf('a: 1\n')
    const whole = { severity: 'error', code: 'config.invalid', path: [] } as const
    source.report({ ...whole, message: 'one' })
    source.report({ ...whole, message: 'two' })
    expect(source.problems.map(({ message }) => message)).toEqual(['one', 'two'])
  })

  it('reports an error after a warning for the same path', async () => {
    const source = await sourceOf('a: 1\n')
    source.report({ severity: 'warning', code: 'config.hint', path: ['a'], message: 'careful' })
    source.report({ severity: 'error', code: 'config.invalid', path: ['a'], message: 'wrong' })
    expect(source.problems.map(({ severity }) => severity)).toEqual(['warning', 'error'])
  })

  it('points at the value or at the key', async () => {
    const source = await sourceOf('key:   value\n')
    source.report({ severity: 'warning', code: 'config.hint', path: ['key'], message: 'key' })
    source.report({ severity: 'warning', code: 'config.hint', path: ['key'], part: 'value', message: 'value' })
    expect(source.problems.map(({ column }) => column)).toEqual([1, 8])
  })

  it('leaves a missing key variable to the credential check, and no other', async () => {
    const source = await sourceOf('model:\n  api_key: ${NOPE}\n  name: ${NOPE}\n')
    expect(source.problems.map(({ path }) => path)).toEqual(['model.name'])
  })

  it('lists the files its values came from', async () => {
    const project = await tempProject({ 'agent.yaml': 'a: ${file:sub/x.txt}\n', 'sub/x.txt': 'X\r\n' })
    const source = await readSource(project.path('agent.yaml'), { env: {}, homeDir: '/nowhere' })
    expect(source).toMatchObject({ value: { a: 'X' }, reads: [project.path('sub/x.txt')] })
  })

  it('refuses a value file that is too long or not text', async () => {
    const project = await tempProject({
      'agent.yaml': 'a: ${file:long}\nb: ${file:bytes}\nc: ${file:folder}\n',
      long: 'x'.repeat(65 * 1024),
      bytes: new Uint8Array([0xff, 0xfe]),
      'folder/x': '',
    })
    const source = await readSource(project.path('agent.yaml'), { env: {}, homeDir: '/nowhere' })
    expect(source?.problems.map(({ path, message }) => [path, message])).toEqual([
      ['a', 'cannot read ${file:long}: it is larger than 64 KiB'],
      ['b', 'cannot read ${file:bytes}: it is not UTF-8 text'],
      ['c', 'cannot read ${file:folder}: it is a folder'],
    ])
  })

  it('does not follow a link out of the project for a value', async () => {
    const project = await tempProject({ 'agent.yaml': 'a: ${file:link}\n', '../secret': 'hidden' })
    await symlink(project.path('../secret'), project.path('link'))
    const source = await readSource(project.path('agent.yaml'), { env: {}, homeDir: '/nowhere' })
    expect(source?.problems).toEqual([expect.objectContaining({ code: 'config.outside-project', path: 'a' })])
    expect(JSON.stringify(source?.value)).not.toContain('hidden')
  })
})

describe('the project folder', () => {
  it('is the folder of the file unless it is in a work tree', async () => {
    const project = await tempProject({ 'a/b/agent.yaml': '' })
    const file = project.path('a/b/agent.yaml')
    expect(await projectFolderOf(file, '/nowhere')).toBe(project.path('a/b'))
    await mkdir(project.path('a/.git'))
    expect(await projectFolderOf(file, '/nowhere')).toBe(project.path('a'))
  })

  it('is the work tree of a linked checkout, where .git is a file', async () => {
    const project = await tempProject({ 'a/agent.yaml': '', '.git': 'gitdir: elsewhere' })
    expect(await projectFolderOf(project.path('a/agent.yaml'), '/nowhere')).toBe(project.folder)
  })

  it('is never the home folder, even if that is a work tree', async () => {
    const project = await tempProject({ 'a/agent.yaml': '', '.git/HEAD': '' })
    expect(await projectFolderOf(project.path('a/agent.yaml'), project.folder)).toBe(project.path('a'))
  })
})

describe('a path written in a file', () => {
  it('is relative to that file, with links resolved as far as they exist', async () => {
    const project = await tempProject({ 'real/x.md': '', 'agents/agent.yaml': '' })
    await symlink(project.path('real'), project.path('link'))
    const from = project.path('agents/agent.yaml')
    expect(await resolvePath('../link/x.md', from)).toBe(project.path('real/x.md'))
    expect(await resolvePath('../link/new/y.md', from)).toBe(project.path('real/new/y.md'))
    expect(await resolvePath(project.path('link/x.md'), from)).toBe(project.path('real/x.md'))
  })

  it.each([
    ['project', true],
    ['project/a/b', true],
    ['project/..notes', true],
    ['project-2', false],
    ['.', false],
    ['other', false],
  ])('%s is inside project: %s', async (name, isWithin) => {
    const project = await tempProject()
    expect(await isInsideProject(project.path(`../${name}`), project.folder)).toBe(isWithin)
  })
})

describe('readText', () => {
  it('distinguishes a missing file from an unreadable one', async () => {
    const project = await tempProject({ 'a.txt': 'text', 'big.txt': 'x'.repeat(20), 'folder/x': '' })
    expect(await readText(project.path('a.txt'), 10)).toEqual({ type: 'text', text: 'text' })
    expect(await readText(project.path('nope.txt'), 10)).toEqual({ type: 'absent' })
    expect(await readText(project.path('a.txt/below'), 10)).toEqual({ type: 'absent' })
    expect(await readText(project.path('folder'), 10)).toEqual({ type: 'unreadable', reason: 'it is a folder' })
    expect(await readText(project.path('big.txt'), 10)).toMatchObject({ type: 'unreadable' })
  })

  it('does not hang on a device or a pipe', async () => {
    expect(await readText('/dev/null', 10)).toEqual({ type: 'unreadable', reason: 'it is not a file' })
  })

  it('limits the size even for a file that reports no size', async () => {
    expect(await readText('/proc/self/status', 16)).toMatchObject({
      type: process.platform === 'linux' ? 'unreadable' : 'absent',
    })
  })

  it.skipIf(process.getuid?.() === 0)('reports missing permission', async () => {
    const project = await tempProject({ 'a.txt': 'x' })
    await chmod(project.path('a.txt'), 0)
    expect(await readText(project.path('a.txt'), 10)).toEqual({ type: 'unreadable', reason: 'permission denied' })
  })
})

describe('the environment', () => {
  it('merges the shell over the nearer file over the farther one', async () => {
    const project = await tempProject({ 'near/.env': 'A=near\nB=near', '.env': 'A=far\nB=far\nC=far\n# D=no\n' })
    const { env, files, problems } = await readEnvironment({ A: 'shell', X: undefined }, [
      project.path('near'),
      project.folder,
    ])
    expect(env).toEqual({ A: 'shell', B: 'near', C: 'far' })
    expect(files).toEqual([project.path('near/.env'), project.path('.env')])
    expect(problems).toEqual([])
  })

  it('reads each folder once, and accepts missing files', async () => {
    const project = await tempProject()
    const { env, files } = await readEnvironment({}, [project.folder, project.folder])
    expect(env).toEqual({})
    expect(files).toEqual([project.path('.env')])
  })

  it('keeps variables that the shell sets to an empty value', async () => {
    const project = await tempProject({ '.env': 'A=file' })
    expect((await readEnvironment({ A: '' }, [project.folder])).env).toEqual({ A: '' })
  })
})

describe('findAgentFiles', () => {
  it('finds agent files by name', async () => {
    const names = [
      'agent.yaml',
      'agent.yml',
      'x.agent.yaml',
      'x.agent.yml',
      'myagent.yaml',
      'agent.yaml.bak',
      '.agent.yaml',
      'agent.json',
    ]
    const project = await tempProject(Object.fromEntries(names.map((name) => [name, 'x'])))
    const { files } = await findAgentFiles(['.'], project.folder)
    expect(files.map((file) => file.slice(project.folder.length + 1))).toEqual([
      'agent.yaml',
      'agent.yml',
      'x.agent.yaml',
      'x.agent.yml',
    ])
  })

  it('does not follow cycles, and limits the depth', async () => {
    const deep = `${'d/'.repeat(12)}agent.yaml`
    const project = await tempProject({ 'a/agent.yaml': 'x', [deep]: 'x' })
    await symlink(project.folder, project.path('a/loop'))
    expect((await findAgentFiles([project.folder], '/')).files).toEqual([project.path('a/agent.yaml')])
  })

  it('accepts a link to a file and lists missing paths', async () => {
    const project = await tempProject({ 'real.yaml': 'x' })
    await symlink(project.path('real.yaml'), project.path('agent.yaml'))
    const { files, missing } = await findAgentFiles(['.', 'gone', 'real.yaml'], project.folder)
    expect(files).toEqual([project.path('agent.yaml'), project.path('real.yaml')])
    expect(missing).toEqual([project.path('gone')])
  })

  it.skipIf(process.getuid?.() === 0)('lists a given folder that cannot be read', async () => {
    const project = await tempProject({ 'closed/agent.yaml': 'x', 'open/closed/agent.yaml': 'x' })
    const closed = [project.path('closed'), project.path('open/closed')]
    for (const folder of closed) await chmod(folder, 0o000)
    const { files, missing } = await findAgentFiles(['closed', 'open'], project.folder)
    for (const folder of closed) await chmod(folder, 0o700)
    expect({ files, missing }).toEqual({ files: [], missing: [project.path('closed')] })
  })
})
