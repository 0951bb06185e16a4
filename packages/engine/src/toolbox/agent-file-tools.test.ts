// Tools from the text of an agent file to the offer to a model, on either backend.
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
  return {
    call,
    prompts,
    descriptions: Object.fromEntries(toolbox.list().map((tool) => [tool.name, tool.description])),
  }
}

describe('a tool of an agent file', () => {
  it('tools[].description: is sent to the model', async () => {
    const { descriptions } = await offered(`
  - { name: look, description: Looks out of the window, type: function, file: look.mjs, function: look }
  - { name: shorten, description: Says it in a word, type: prompt, template: '{{ text }}', parameters: { text: { type: string } } }
`)
    expect(descriptions).toEqual({
      mcp__tools__look: 'Looks out of the window',
      mcp__tools__shorten: 'Says it in a word',
    })
  })

  it('tools[skill].description: tells when to read it, by default from SKILL.md', async () => {
    const own = await offered(`
  - { name: style, description: Before each letter, type: skill, folder: style }
  - { name: other, type: skill, folder: style }
`)
    expect(own.descriptions.mcp__tools__style).toContain('Before each letter')
    expect(own.descriptions.mcp__tools__other).toContain('How we write')
  })

  it('tools[prompt].file: is the prompt for the model', async () => {
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
    expect(Object.keys((await offered(server('load_tools: false'))).descriptions)).toEqual([])
    expect(Object.keys((await offered(server('load_tools: true'))).descriptions)).toContain('mcp__memory__read_graph')
  })
})
