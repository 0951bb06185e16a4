import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { addMcpTool, removeMcpTool } from './edit-mcp-tools.ts'

const files = { name: 'files', command: 'npx', args: ['-y', 'server-files', '.'] }

const written = `# My agent.
name: a   # short
tools:
    # Looks things up.
    - type: function
      name: lookup
      description: >-
        Looks up
        an order
      file: 'tools/orders.ts'

    # Of the neighbours.
    - {type: mcp, name: notes,   command: node, args: [notes.mjs]}  # old

limits: {max_turns:   5}   # enough
`

describe('addMcpTool', () => {
  it('adds its lines after the last tool and changes nothing else', () => {
    const text = addMcpTool(written, files)
    const added = `    - type: mcp
      name: files
      command: npx
      args:
        - -y
        - server-files
        - .
`
    expect(text).toBe(written.replace('# old\n', `# old\n${added}`))
  })

  it('starts the list at the end of the file, even without a final line break', () => {
    expect(addMcpTool('name: a', { name: 'files', command: 'x' })).toBe(
      'name: a\ntools:\n  - type: mcp\n    name: files\n    command: x\n',
    )
  })

  it.each(['tools:\n', 'tools: []\n', 'tools: # none yet\n'])('starts the list in place of %j', (empty) => {
    const text = addMcpTool(`# first\nname: a\n${empty}# last\nlimits: {}\n`, files)
    expect(text).toMatch(/^# first\nname: a\ntools:( # none yet)?\n {2}- type: mcp\n[\s\S]*\n# last\nlimits: \{\}\n$/)
    expect(parse(text).tools).toEqual([{ type: 'mcp', ...files }])
  })

  it('adds to flow-style lists and files, and keeps their comments', () => {
    const text = addMcpTool('# first\ntools: [{type: mcp, name: notes, command: node}] # here\n', files)
    expect(parse(text).tools).toHaveLength(2)
    expect(text).toMatch(/# first[\s\S]*# here/)
    expect(parse(addMcpTool('{name: a}', files)).tools).toHaveLength(1)
    expect(parse(addMcpTool('{name: a, tools: []}', files)).tools).toHaveLength(1)
  })

  it('keeps everything else when the list is in flow style', () => {
    const [before, after] = [
      'limits:   {max_turns:   5}   # enough\ntools: [ {type: mcp,  name: notes, command: node}',
      ' , ]\n',
    ]
    expect(addMcpTool(before + after, { name: 'files', command: 'x' })).toBe(
      `${before}, { type: mcp, name: files, command: x }${after}`,
    )
    const json = '{\n  "name": "a",\n  "tools": [{"type": "mcp", "name": "b", "command": "x"}]\n}\n'
    expect(JSON.parse(addMcpTool(json, { name: 'files', command: 'x' })).tools).toHaveLength(2)
  })

  it.each(['~', 'null', '[ ]'])('starts the list in place of %s and keeps its comment', (empty) => {
    const text = addMcpTool(`name: a\ntools: ${empty} # keep\nlimits: {}\n`, { name: 'files', command: 'x' })
    expect(text).toBe('name: a\ntools: # keep\n  - type: mcp\n    name: files\n    command: x\nlimits: {}\n')
  })

  it('uses the line endings of the file', () => {
    const text = addMcpTool('name: a\r\ntools:\r\n  - {type: mcp, name: b, command: x}\r\nlimits: {}\r\n', files)
    expect(text).not.toMatch(/(?<!\r)\n/)
    expect(text).toContain('    name: files\r\n')
    expect(addMcpTool('name: a\r\n# odd\n', { name: 'b', command: 'x' })).toMatch(/^name: a\r\n# odd\ntools:\n/)
  })

  it('inserts after a tool that ends with a block scalar', () => {
    const block = 'tools:\n- type: prompt\n  name: p\n  template: |\n    one\n    two\n\nlimits: {}\n'
    const text = addMcpTool(block, { name: 'files', url: 'https://x.example/mcp', transport: 'http', env: ['A', 'B'] })
    expect(parse(text)).toEqual({
      tools: [
        { type: 'prompt', name: 'p', template: 'one\ntwo\n' },
        { type: 'mcp', name: 'files', url: 'https://x.example/mcp', transport: 'http', env: ['A', 'B'] },
      ],
      limits: {},
    })
  })

  it('quotes values that YAML would read as another type', () => {
    const args = ['yes', '1', '#x', '${NAME}', 'a: b', '', '-', 'ünï']
    const text = addMcpTool('name: a\n', { name: 'files', command: 'x', args })
    expect(parse(text).tools[0].args).toEqual(args)
  })

  it('refuses the name of an existing tool, and files that are not agents', () => {
    expect(() => addMcpTool(written, { name: 'lookup', command: 'x' })).toThrow('a tool named "lookup" already exists')
    expect(() => addMcpTool('a: [', files)).toThrow(/not valid YAML/)
    expect(() => addMcpTool('- a\n', files)).toThrow(/no agent/)
    expect(() => addMcpTool('tools: 5\n', files)).toThrow(/not a list/)
  })
})

describe('removeMcpTool', () => {
  it('removes its lines with the comment above them and changes nothing else', () => {
    const expected = written.replace(/ {4}# Of the neighbours\.\n.*# old\n/, '')
    expect(removeMcpTool(written, 'notes')).toBe(expected)
  })

  it('reverts addMcpTool', () => {
    expect(removeMcpTool(addMcpTool(written, files), 'files')).toBe(written)
    expect(removeMcpTool(addMcpTool('# x\nname: a\n', files), 'files')).toBe('# x\nname: a\n')
    const before = 'name:   a # x\n# tools of mine\n'
    expect(removeMcpTool(`${before}tools:\n# only\n- type: mcp\n  name: b\n# last\n`, 'b')).toBe(`${before}# last\n`)
  })

  it('removes the named server from a flow-style list', () => {
    const text = 'tools: [{type: mcp, name: a, command: x}, {type: mcp, name: b, command: x}]\n'
    expect(parse(removeMcpTool(text, 'a')).tools).toMatchObject([{ name: 'b' }])
    const around = `limits:   {max_turns:   5}\n${text}`
    expect(removeMcpTool(around, 'a')).toBe(around.replace('{type: mcp, name: a, command: x}, ', ''))
    expect(removeMcpTool(around, 'b')).toBe(around.replace(', {type: mcp, name: b, command: x}', ''))
  })

  it('refuses a tool that is not an MCP server, and lists the servers', () => {
    expect(() => removeMcpTool(written, 'lookup')).toThrow('there is no MCP server "lookup": the file has notes')
    expect(() => removeMcpTool('name: a\n', 'notes')).toThrow('there is no MCP server "notes": the file has none')
  })
})
