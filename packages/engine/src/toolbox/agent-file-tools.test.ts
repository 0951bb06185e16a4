// Tools from the text of an agent file to what a model is offered, whichever backend offers it.
import { describe, expect, it } from 'vitest'
import { openToolboxHarness, serverFile } from './testing/toolbox-harness.fixture.ts'
import { toolsOfFile } from './testing/tools-of-file.fixture.ts'

const files = {
  'look.mjs': 'export const look = () => "seen"',
  'ask.txt': 'In one word: {{ text }}',
  'style/SKILL.md': '---\nname: style\ndescription: How we write\n---\nBe brief.',
}

async function offered(yaml: string) {
  const prompts: string[] = []
  const complete = async (_access: unknown, { prompt }: { readonly prompt: string }) => {
    prompts.push(prompt)
    return 'an answer'
  }
  const { toolbox, call } = await openToolboxHarness({ ...(await toolsOfFile(yaml, files)), complete })
  return { call, prompts, told: Object.fromEntries(toolbox.list().map((tool) => [tool.name, tool.description])) }
}

describe('what an agent file says of a tool', () => {
  it('tools[].description: is what the model is told it is for', async () => {
    const { told } = await offered(`
  - { name: look, description: Looks out of the window, type: function, file: look.mjs, function: look }
  - { name: shorten, description: Says it in a word, type: prompt, template: '{{ text }}', parameters: { text: { type: string } } }
`)
    expect(told).toEqual({
      mcp__tools__look: 'Looks out of the window',
      mcp__tools__shorten: 'Says it in a word',
    })
  })

  it('tools[skill].description: is when to read it, and else what SKILL.md says', async () => {
    const own = await offered(`
  - { name: style, description: Before each letter, type: skill, folder: style }
  - { name: other, type: skill, folder: style }
`)
    expect(own.told.mcp__tools__style).toContain('Before each letter')
    expect(own.told.mcp__tools__other).toContain('How we write')
  })

  it('tools[prompt].file: is what the model is asked', async () => {
    const { call, prompts } = await offered(`
  - { name: shorten, description: shortens, type: prompt, file: ask.txt, parameters: { text: { type: string } } }
`)
    await call('mcp__tools__shorten', { text: 'a long story' })
    expect(prompts).toEqual(['In one word: a long story'])
  })

  it('tools[mcp].load_tools: false offers none of them', async () => {
    const server = (fields: string) => `
  - { name: memory, description: remembers, type: mcp, command: node, args: ['${serverFile('server-memory')}'], ${fields} }
`
    expect(Object.keys((await offered(server('load_tools: false'))).told)).toEqual([])
    expect(Object.keys((await offered(server('load_tools: true'))).told)).toContain('mcp__memory__read_graph')
  })
})
