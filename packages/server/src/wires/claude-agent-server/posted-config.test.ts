import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../app/start-server.ts'
import { runtimeOptions, type Script } from '../../runtime/runtime.fixture.ts'
import { openOriginalClient } from './original-client.fixture.ts'
import { eventsOf, startWireServer } from './wire-server.fixture.ts'

const script: Script = () => [
  { type: 'tool', name: 'Bash', input: { command: 'rm x' }, result: 'gone', toolUseId: 'toolu_rm' },
  { type: 'text', chunks: ['done'] },
]

const key = 'sk-ant-made-up-0123456789abcdef'
const e2bKey = 'e2b_made_up_0123456789'
const headerSecret = 'a-plain-word-of-a-header'
const logged: string[] = []

let server: RunningServer
let compatUrl = ''
let dataDir = ''

beforeAll(async () => {
  const options = await runtimeOptions(script)
  dataDir = options.dataDir
  const log = (facts: object, message: string) => void logged.push(`${JSON.stringify(facts)} ${message}`)
  server = await startWireServer({ ...options, logger: { debug: log, info: log, warn: log, error: log } })
  compatUrl = server.compatListeners[0]?.url ?? ''
})
afterAll(() => server.close())

describe('the configuration', () => {
  const secretConfig = {
    anthropicApiKey: key,
    e2bApiKey: e2bKey,
    template: 'x',
    permissionMode: 'bypassPermissions',
    mcpServers: {
      docs: {
        type: 'http',
        url: `https://docs.example/mcp?token=${headerSecret}`,
        headers: { 'x-custom': headerSecret },
      },
    },
    agents: {
      helper: { description: 'helps', prompt: `use ${key}`, mcpServers: [{ a: { command: 'x', args: [e2bKey] } }] },
    },
    allowedTools: ['Read', 'Bash(git:*)'],
  }

  it('is stored and returned without its secrets, and lists the fields without effect', async () => {
    const client = await openOriginalClient(compatUrl, { config: secretConfig })
    const shown = {
      anthropicApiKey: '[redacted]',
      e2bApiKey: '[redacted]',
      template: 'x',
      permissionMode: 'bypassPermissions',
      mcpServers: { docs: { type: 'http', url: 'https://docs.example', headers: '[redacted]' } },
      agents: {
        helper: {
          description: 'helps',
          prompt: 'use [redacted]',
          mcpServers: [{ a: { command: '[redacted]', args: '[redacted]' } }],
        },
      },
      allowedTools: ['Read', 'Bash(git:*)'],
    }
    const notApplied = {
      agents: expect.any(String),
      mcpServers: expect.any(String),
      anthropicApiKey: expect.any(String),
      permissionMode: expect.stringContaining('manual'),
      allowedTools: expect.stringContaining('Bash'),
    }
    expect(client.configReply).toEqual({ success: true, config: shown, notApplied })
    expect(await (await fetch(`${compatUrl}/config`)).json()).toEqual({ config: shown })
    await client.until(() => client.ofType('info').length > 0)
    expect(client.ofType('info')).toEqual([{ type: 'info', data: expect.stringContaining('mcpServers') }])
    client.say('ask')
    const { session_id } = await client.result()
    // Bash is not in its list of tools, so no approval is requested.
    expect(client.ofType('approval_request')).toEqual([])
    const created = (await eventsOf(server, session_id)).find(({ type }) => type === 'AgentSessionCreated')
    expect(created?.data).toMatchObject({ allowedTools: ['Read'], permissionMode: 'manual' })
    await client.close()

    const written = [...logged, JSON.stringify(client.frames), ...(await filesUnder(dataDir))].join('\n')
    expect(written).toContain(String(session_id))
    for (const secret of [key, e2bKey, headerSecret]) expect(written).not.toContain(secret)
  })

  it('is replaced completely by the next one, and refused if it is invalid', async () => {
    const post = async (body: string) => {
      const response = await fetch(`${compatUrl}/config`, { method: 'POST', body })
      return { status: response.status, body: (await response.json()) as { error?: string } }
    }
    await post('{"model":"low","allowedTools":["Read"]}')
    await post('{"maxTurns":3}')
    expect(await (await fetch(`${compatUrl}/config`)).json()).toEqual({ config: { maxTurns: 3 } })
    for (const body of ['', '{', 'nonsense', '{"a":\u0000}']) {
      expect(await post(body)).toEqual({ status: 400, body: { error: 'Invalid JSON' } })
    }
    const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`
    expect(await post(deep)).toEqual({ status: 400, body: { error: 'nested more than 64 levels deep' } })
    for (const body of ['[]', '1', 'null', '{"allowedTools":"all"}', '{"systemPrompt":7}', '{"maxTurns":-1}']) {
      expect(await post(body)).toEqual({ status: 400, body: { error: expect.any(String) } })
    }
    expect((await post(`{"x":"${'x'.repeat(1024 * 1024)}"}`)).status).toBe(413)
    expect(await (await fetch(`${compatUrl}/config`)).json()).toEqual({ config: { maxTurns: 3 } })
  })
})

async function filesUnder(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map((file) => readFile(file, 'latin1')))
}
