// With a key, agents use the provider, and only the gateway sees the key. The key and the provider here are fake.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CountingUpstream, startCountingUpstream } from '../support/network/counting-upstream.ts'
import { runCommand } from '../support/server/run-command.ts'
import { newFolder } from '../support/server/serve.ts'
import { serveProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const key = 'made-up-provider-key'
const nothingFound = /environment: 0\nprocesses: 0\ncommand lines: 0\nlooked at: [1-9]/

const agentFile = `name: searcher
model: { provider: anthropic, name: high }
instructions: { inline: You search. }
claude:
  permission_mode: acceptAll
  bash: { enabled: true }
limits: { max_turns: 5, max_budget_usd: 1 }
`

describe('a provider key', () => {
  let upstream: CountingUpstream
  let agents: string
  let env: Record<string, string>

  beforeAll(async () => {
    upstream = await startCountingUpstream(fileURLToPath(new URL('../scenarios/search-for-keys.yaml', import.meta.url)))
    agents = join(await newFolder('agents'), 'agents')
    await mkdir(agents)
    await writeFile(join(agents, 'agent.yaml'), agentFile)
    env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: upstream.url }
  })
  afterAll(() => upstream?.close())

  it('is used by run: the request contains it, and the agent cannot find it', async () => {
    const before = upstream.requests().length
    const dataDir = join(await newFolder('data'), 'data')
    const { code, stdout, stderr } = await runCommand(
      ['run', join(agents, 'agent.yaml'), 'search', '--json', '--data', dataDir],
      { env },
    )
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const arrived = upstream.requests().slice(before)
    expect(arrived.length).toBeGreaterThan(0)
    expect(new Set(arrived.map((headers) => headers['x-api-key']))).toEqual(new Set([key]))
    const result = JSON.parse(stdout)
    expect(result.response).toBe('I looked.')
    expect(result.tool_results[0].result).toMatch(nothingFound)
    expect(stdout + stderr).not.toContain(key)
    expect(stderr).not.toContain('simulator')
  })

  it('is used by serve for the same file, and is in no output of the server', async () => {
    const before = upstream.requests().length
    const served = await serveProcess({ agents, env })
    try {
      const { sessionId } = await served.client.createSession({ agent: 'searcher', message: 'search' })
      await watchUntil(served, sessionId, isStatus('idle', 'failed'))
      const log = await wholeLog(served, sessionId)
      const arrived = upstream.requests().slice(before)
      expect(arrived.length).toBeGreaterThan(0)
      for (const headers of arrived) {
        expect(headers['x-api-key']).toBe(key)
        // The session's own token is only for the gateway.
        expect(headers.authorization).toBeUndefined()
      }
      const executed = log.find((event) => event.type === 'ToolExecuted')
      expect(executed?.data).toMatchObject({ output: expect.stringMatching(nothingFound), isError: false })
      expect((await served.client.serverInfo()).usesSimulator).toBe(false)
      expect((await served.client.getSession(sessionId)).session.modelSource).toBe('provider')
      expect(JSON.stringify(log) + served.output()).not.toContain(key)
    } finally {
      await served.kill('SIGKILL')
    }
  })

  it('is used by an agent with `auto`, as with npm start', async () => {
    const before = upstream.requests().length
    const dataDir = join(await newFolder('data'), 'data')
    const args = ['run', join(agents, 'agent.yaml'), 'search', '--model-source', 'auto', '--data', dataDir]
    expect(await runCommand(args, { env })).toMatchObject({ code: 0 })
    expect(upstream.requests().length).toBeGreaterThan(before)
  })

  it('that is missing stops run with 2, and the message names the variable and the offline option', async () => {
    const before = upstream.requests().length
    const dataDir = join(await newFolder('data'), 'data')
    const { code, stdout, stderr } = await runCommand(
      ['run', join(agents, 'agent.yaml'), 'search', '--data', dataDir],
      { env: { ANTHROPIC_BASE_URL: upstream.url } },
    )
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain('ANTHROPIC_API_KEY')
    expect(stderr).toMatch(/simulator/)
    expect(upstream.requests()).toHaveLength(before)
  })
})
