import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openToolboxWorld } from './testing/toolbox-world.fixture.ts'

const name = 'mcp__tools__style'

async function openSkill() {
  const world = await openToolboxWorld({
    files: { 'secret.txt': 'not for you' },
    tools: (at) => [
      { type: 'skill', name: 'style', description: 'how to write', isCritical: false, folder: join(at, 'style') },
    ],
  })
  const folder = join(world.project, 'style')
  mkdirSync(join(folder, 'examples'), { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), '---\nname: style\ndescription: how to write\n---\n# Style\n\n---\nBe brief.')
  writeFileSync(join(folder, 'examples', 'letter.md'), 'Dear all,')
  writeFileSync(join(folder, '.hidden'), 'x')
  symlinkSync(join(world.project, 'secret.txt'), join(folder, 'link.txt'))
  return world
}

it('a skill gives its instructions without what stands before them, and names its other files', async () => {
  const { call, toolbox } = await openSkill()
  expect(toolbox.list()).toMatchObject([{ name, description: 'how to write' }])
  const { output } = await call(name)
  expect(output).toBe('# Style\n\n---\nBe brief.\n\nIts other files, to be read with `file`:\nexamples/letter.md')
  expect(await call(name, { file: 'examples/letter.md' })).toEqual({ output: 'Dear all,', isError: false })
})

it.each(['../secret.txt', 'link.txt', '/etc/hostname', 'examples', 'gone.md', ''])(
  'a skill reads nothing at %s',
  async (file) => {
    const { call } = await openSkill()
    expect(await call(name, { file })).toEqual({ output: expect.stringMatching(/There is no file/), isError: true })
  },
)

it('a skill whose folder is gone says so', async () => {
  const { call } = await openToolboxWorld({
    tools: (at) => [{ type: 'skill', name: 'style', description: '', isCritical: false, folder: join(at, 'gone') }],
  })
  expect(await call(name)).toEqual({ output: 'style cannot be read.', isError: true })
})
