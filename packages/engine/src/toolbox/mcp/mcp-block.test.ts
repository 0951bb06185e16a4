// An mcp tool, from the text of an agent file to what its server receives.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { serveRecording } from '../testing/recording-server.fixture.ts'
import { openToolboxHarness } from '../testing/toolbox-harness.fixture.ts'
import { toolsOfFile } from '../testing/tools-of-file.fixture.ts'

const plainServer = readFileSync(new URL('../testing/plain-server.mjs', import.meta.url), 'utf8')

describe('a server over stdio', () => {
  const files = { 'plain.mjs': plainServer, 'servers/plain.mjs': plainServer, 'more.env': 'REGION=north\nCOLOUR=red\n' }
  async function received(fields: string, input = {}) {
    const lines = ['- name: plain', '  description: tells', '  type: mcp', '  command: node']
    const text = [...lines, ...fields.trim().split('\n')].map((line, index) => (index < 4 ? line : `  ${line.trim()}`))
    const { project, ...file } = await toolsOfFile(`${text.join('\n')}\n`, files, { SHOP_TOKEN: 'made-up-token' })
    const { call } = await openToolboxHarness(file)
    const { output } = await call('mcp__plain__tell', input)
    return { project, ...JSON.parse(output) }
  }

  it('tools[mcp].cwd: is the working directory of its process, by default the folder of the file', async () => {
    const inside = await received('args: [plain.mjs]\ncwd: servers')
    expect(inside.cwd).toBe(inside.project.path('servers'))
    const byDefault = await received('args: [plain.mjs]')
    expect(byDefault.cwd).toBe(byDefault.project.folder)
  })

  it('tools[mcp].args: are passed unchanged, and paths next to the file become absolute', async () => {
    const { args, project } = await received("args: [plain.mjs, '--loud', ./more.env, 'two words']")
    expect(args).toEqual(['--loud', project.path('more.env'), 'two words'])
  })

  it('tools[mcp].env_file: adds variables, and env takes precedence', async () => {
    const { env } = await received(
      `args: [plain.mjs]\nenv_file: more.env\nenv: { COLOUR: blue, TOKEN: '\${SHOP_TOKEN}' }`,
    )
    expect(env).toMatchObject({ REGION: 'north', COLOUR: 'blue', TOKEN: 'made-up-token' })
    expect(env).not.toHaveProperty('SHOP_TOKEN')
  })

  it('tools[mcp].config: is passed as JSON in the variable MCP_CONFIG', async () => {
    const { env } = await received('args: [plain.mjs]\nconfig: { depth: 2, shops: [north] }')
    expect(JSON.parse(env.MCP_CONFIG)).toEqual({ depth: 2, shops: ['north'] })
  })

  it('tools[mcp].encoding: supports characters of several bytes in UTF-8 and refuses other encodings', async () => {
    const { input } = await received('args: [plain.mjs]\nencoding: utf-8', { greeting: 'Grüße, 東京 🚢' })
    expect(input).toEqual({ greeting: 'Grüße, 東京 🚢' })
    await expect(received('args: [plain.mjs]\nencoding: latin-1')).rejects.toThrow('encoding')
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

  it('tools[mcp].terminate_on_close: ends the server’s session with the session unless it is false', async () => {
    const ended = async (fields: string) => (await visited(fields)).filter(({ method }) => method === 'DELETE')
    expect(await ended('')).toMatchObject([{ headers: { 'mcp-session-id': 'made-up-session' } }])
    expect(await ended('terminate_on_close: true')).toHaveLength(1)
    expect(await ended('terminate_on_close: false')).toEqual([])
  })

  it('sends the headers of the file with every request, including values of variables', async () => {
    const seen = await visited(`headers: { authorization: 'Bearer \${SHOP_TOKEN}', x-shop: north }`)
    expect(seen.length).toBeGreaterThan(3)
    for (const { headers } of seen) {
      expect(headers).toMatchObject({ authorization: 'Bearer made-up-token', 'x-shop': 'north' })
    }
  })
})
