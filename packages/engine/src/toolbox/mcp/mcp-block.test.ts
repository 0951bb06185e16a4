// A tool of type mcp from the text of an agent file to what its server sees.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { serveRecording } from '../testing/recording-server.fixture.ts'
import { openToolboxHarness } from '../testing/toolbox-harness.fixture.ts'
import { toolsOfFile } from '../testing/tools-of-file.fixture.ts'

const plainServer = readFileSync(new URL('../testing/plain-server.mjs', import.meta.url), 'utf8')

describe('a server over stdio', () => {
  const files = {
    'plain.mjs': plainServer,
    'servers/plain.mjs': plainServer,
    'more.env': 'REGION=north\nCOLOUR=red\n',
  }
  async function told(fields: string, input = {}) {
    const lines = ['- name: plain', '  description: tells', '  type: mcp', '  command: node']
    const text = [...lines, ...fields.trim().split('\n')].map((line, index) => (index < 4 ? line : `  ${line.trim()}`))
    const { project, ...file } = await toolsOfFile(`${text.join('\n')}\n`, files, { SHOP_TOKEN: 'made-up-token' })
    const { call } = await openToolboxHarness(file)
    const { output } = await call('mcp__plain__tell', input)
    return { project, ...JSON.parse(output) }
  }

  it('tools[mcp].cwd: is where its process works, and else the folder of the file', async () => {
    const inside = await told('args: [plain.mjs]\ncwd: servers')
    expect(inside.cwd).toBe(inside.project.path('servers'))
    const usual = await told('args: [plain.mjs]')
    expect(usual.cwd).toBe(usual.project.folder)
  })

  it('tools[mcp].args: arrive as they are, paths beside the file whole', async () => {
    const { args, project } = await told("args: [plain.mjs, '--loud', ./more.env, 'two words']")
    expect(args).toEqual(['--loud', project.path('more.env'), 'two words'])
  })

  it('tools[mcp].env_file: has more variables for it, and env wins', async () => {
    const { env } = await told(`args: [plain.mjs]\nenv_file: more.env\nenv: { COLOUR: blue, TOKEN: '\${SHOP_TOKEN}' }`)
    expect(env).toMatchObject({ REGION: 'north', COLOUR: 'blue', TOKEN: 'made-up-token' })
    expect(env).not.toHaveProperty('SHOP_TOKEN')
  })

  it('tools[mcp].config: is JSON in the variable MCP_CONFIG', async () => {
    const { env } = await told('args: [plain.mjs]\nconfig: { depth: 2, shops: [north] }')
    expect(JSON.parse(env.MCP_CONFIG)).toEqual({ depth: 2, shops: ['north'] })
  })

  it('tools[mcp].encoding: letters of several bytes go there and back; another one is refused', async () => {
    const { input } = await told('args: [plain.mjs]\nencoding: utf-8', { greeting: 'Grüße, 東京 🚢' })
    expect(input).toEqual({ greeting: 'Grüße, 東京 🚢' })
    await expect(told('args: [plain.mjs]\nencoding: latin-1')).rejects.toThrow('encoding')
  })
})

describe('a server over HTTP', () => {
  async function visited(fields: string) {
    const { url, seen } = await serveRecording()
    const text = `- { name: noting, description: notes, type: mcp, transport: http, url: '${url}', ${fields} }\n`
    const { call, toolbox } = await openToolboxHarness(await toolsOfFile(text, {}, { SHOP_TOKEN: 'made-up-token' }))
    expect((await call('mcp__noting__greet')).output).toBe('good day')
    await toolbox.close()
    return seen
  }

  it('tools[mcp].terminate_on_close: says goodbye to the server with the session, unless it is false', async () => {
    const ended = async (fields: string) => (await visited(fields)).filter(({ method }) => method === 'DELETE')
    expect(await ended('')).toMatchObject([{ headers: { 'mcp-session-id': 'made-up-session' } }])
    expect(await ended('terminate_on_close: true')).toHaveLength(1)
    expect(await ended('terminate_on_close: false')).toEqual([])
  })

  it('shows it the headers of the file with every request, values of variables among them', async () => {
    const seen = await visited(`headers: { authorization: 'Bearer \${SHOP_TOKEN}', x-shop: north }`)
    expect(seen.length).toBeGreaterThan(3)
    for (const { headers } of seen) {
      expect(headers).toMatchObject({ authorization: 'Bearer made-up-token', 'x-shop': 'north' })
    }
  })
})
