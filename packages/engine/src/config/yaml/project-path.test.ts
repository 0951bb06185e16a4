// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in files are what is tested here
import { symlink } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { madeUpKey, minimalAgent, tempProject } from '../testing/temp-project.ts'

const withInstructions = (lines: string): string => minimalAgent.replace('  inline: Sort the tickets.\n', lines)

describe('the project folder', () => {
  it('cannot be left through a link', async () => {
    const project = await tempProject({
      'agent.yaml': withInstructions('  file: link.md\n'),
      '../outside.md': 'Secret.',
    })
    await symlink(project.path('../outside.md'), project.path('link.md'))
    expect((await project.load()).problems).toEqual([expect.objectContaining({ code: 'config.outside-project' })])
  })

  it('can be left with allow_outside', async () => {
    const text = `${withInstructions('  file: ../outside.md\n')}allow_outside: true\n`
    const project = await tempProject({ 'agent.yaml': text, '../outside.md': 'Outside.' })
    const { agent } = await project.load()
    expect(agent?.instructions).toEqual({ type: 'text', text: 'Outside.' })
  })

  it.each([
    ['true', 'Outside.'],
    ['false', null],
    ['yes', null],
  ])('can be left, by paths and by values, when a variable sets allow_outside: %s', async (allowOutside, text) => {
    const lines = 'description: ${file:../outside.md}\nallow_outside: ${FREE}\n'
    const project = await tempProject(
      { 'agent.yaml': withInstructions('  file: ../outside.md\n') + lines, '../outside.md': 'Outside.' },
      { ANTHROPIC_API_KEY: madeUpKey, FREE: allowOutside },
    )
    const { agent } = await project.load()
    if (text === null) expect(agent).toBeNull()
    else expect(agent).toMatchObject({ instructions: { text }, description: text })
  })

  it('is the git work tree that contains the file', async () => {
    const files = { 'agents/a/agent.yaml': withInstructions('  file: ../../shared.md\n'), 'shared.md': 'Shared.' }
    const without = await tempProject(files)
    expect((await without.load('agents/a/agent.yaml')).agent).toBeNull()
    const within = await tempProject({ ...files, '.git/HEAD': '' })
    expect((await within.load('agents/a/agent.yaml')).agent?.instructions).toEqual({ type: 'text', text: 'Shared.' })
  })
})
