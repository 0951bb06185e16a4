import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { silentLogger } from '../ports/logger.ts'
import { openToolboxHarness } from './testing/toolbox-harness.fixture.ts'

const name = 'mcp__tools__style'

async function openSkill() {
  const harness = await openToolboxHarness({
    files: { 'secret.txt': 'not for you' },
    tools: (at) => [
      { type: 'skill', name: 'style', description: 'how to write', isCritical: false, folder: join(at, 'style') },
    ],
  })
  const folder = join(harness.project, 'style')
  mkdirSync(join(folder, 'examples'), { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: style\ndescription: how to write\n---\n# Style\n\n---\nBe brief.')
  writeFileSync(join(folder, 'examples', 'letter.md'), 'Dear all,')
  writeFileSync(join(folder, '.hidden'), 'x')
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.git', 'config'), 'x')
  symlinkSync(join(harness.project, 'secret.txt'), join(folder, 'link.txt'))
  return harness
}

it('a skill returns its instructions without front matter and lists its other files', async () => {
  const { call, toolbox } = await openSkill()
  expect(toolbox.list()).toMatchObject([{ name, description: 'how to write' }])
  const { output } = await call(name)
  expect(output).toBe('# Style\n\n---\nBe brief.\n\nIts other files, to be read with `file`:\nexamples/letter.md')
  expect(await call(name, { file: 'examples/letter.md' })).toEqual({ output: 'Dear all,', isError: false })
})

it.each([
  '.hidden',
  './.hidden',
  '.git/config',
  'examples/../.hidden',
  '../secret.txt',
  'link.txt',
  '/etc/hostname',
  'examples',
  'gone.md',
  '',
])('a skill refuses to read %s', async (file) => {
  const { call } = await openSkill()
  expect(await call(name, { file })).toEqual({ output: expect.stringMatching(/There is no file/), isError: true })
})

it('a skill reads every file it has, including those that are too many to be listed', async () => {
  const { call, project } = await openSkill()
  for (let count = 0; count < 250; count += 1) writeFileSync(join(project, 'style', `${1000 + count}.md`), `${count}`)
  expect((await call(name)).output).not.toContain('1249.md')
  expect(await call(name, { file: './1249.md' })).toEqual({ output: '249', isError: false })
})

it('a skill does not wait for a pipe, and reads only the start of a large file', async () => {
  const { call, project } = await openSkill()
  const folder = join(project, 'style')
  truncateSync(join(folder, 'examples', 'letter.md'), 3_000_000_000)
  const { output } = await call(name, { file: 'examples/letter.md' })
  expect(output.slice(-40)).toContain('cut here: 3000000000 bytes')
  rmSync(join(folder, 'SKILL.md'))
  execFileSync('mkfifo', [join(folder, 'SKILL.md'), join(folder, 'pipe.md')])
  expect(await call(name)).toEqual({ output: 'style cannot be read.', isError: true })
  expect((await call(name, { file: 'pipe.md' })).output).toContain('There is no file')
})

it('a skill reports that its folder is missing', async () => {
  const warned: object[] = []
  const { call } = await openToolboxHarness({
    tools: (at) => [{ type: 'skill', name: 'style', description: '', isCritical: false, folder: join(at, 'gone') }],
    logger: { ...silentLogger, warn: (facts) => void warned.push(facts) },
  })
  expect(await call(name)).toEqual({ output: 'style cannot be read.', isError: true })
  expect(warned).toMatchObject([{ tool: 'style', error: { code: 'ENOENT' } }])
})
