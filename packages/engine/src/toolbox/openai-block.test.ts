// The `openai` block, from the text of an agent file to its sessions on the loop.
import { errorReasons } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { tempProject } from '../config/testing/temp-project.ts'
import { eventsOf, rests } from '../sessions/testing/lifecycle.fixture.ts'
import { loopToolBackend } from './testing/loop-tool-backend.fixture.ts'
import { openToolHarness } from './testing/tool-harness.fixture.ts'

const calls = { repeat: true, then: { tools: [{ name: 'mcp__tools__look', input: {} }] } }
const done = { then: { text: 'done' } }
const price = 'models: { gpt-made-up: { price: { input: 1000, output: 1000, cache_read: 1000, cache_write: 1000 } } }'

const agentFile = (openai: string, limits: string) => `name: tester
model: { provider: openai, name: gpt-made-up }
instructions: { inline: Be brief. }
openai: ${openai}
limits: ${limits}
approvals: { allow: [look] }
tools:
  - { name: look, description: looks, type: function, file: tools.mjs, function: look }
  - { name: shout, description: shouts, type: function, file: tools.mjs, function: look }
  - { name: whisper, description: whispers, type: function, file: tools.mjs, function: look }
`

async function run(openai: string, steps: readonly (typeof calls | typeof done)[], limits = '{ max_duration: 10m }') {
  const files = { 'agent.yaml': agentFile(openai, limits), 'tools.mjs': 'export const look = () => "seen"' }
  const project = await tempProject({ ...files, 'config.yaml': price }, { OPENAI_API_KEY: 'made-up' })
  const { agent, catalog, problems } = await project.load()
  if (agent === null) throw new Error(JSON.stringify(problems))
  const backend = loopToolBackend('openai', catalog)
  const { runtime, asked } = await openToolHarness(backend, { agent, tools: () => agent.tools, steps })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')
  return { runtime, sessionId, asked }
}

async function endOf(
  { runtime, sessionId }: Awaited<ReturnType<typeof run>>,
  status: 'stopped_turns' | 'stopped_budget',
) {
  await rests(runtime, sessionId, status)
  const [ended] = await eventsOf(runtime, sessionId, 'TurnEnded')
  return ended?.data
}

describe('the openai block', () => {
  it('openai.max_turns: ends the turn and takes precedence over a higher limits.max_turns', async () => {
    const running = await run('{ max_turns: 2 }', [calls], '{ max_turns: 9 }')
    const { maxTurns: errorReason } = errorReasons
    expect(await endOf(running, 'stopped_turns')).toMatchObject({ outcome: 'turn_limit', result: { errorReason } })
    expect(running.asked()).toHaveLength(2)
  })

  it('openai.max_budget_usd: ends the turn when the budget is spent and takes precedence over a higher limit', async () => {
    const running = await run('{ max_budget_usd: 0.01 }', [calls], '{ max_budget_usd: 5 }')
    const { budget: errorReason } = errorReasons
    expect(await endOf(running, 'stopped_budget')).toMatchObject({ outcome: 'budget_limit', result: { errorReason } })
    expect(running.asked().length).toBeLessThan(5)
  })

  async function offered(openai: string): Promise<readonly string[]> {
    const { runtime, sessionId, asked } = await run(openai, [calls, done].slice(1))
    await rests(runtime, sessionId, 'idle')
    return ['look', 'shout', 'whisper'].filter((name) => asked()[0]?.includes(`mcp__tools__${name}`))
  }

  it('openai.permissions.allowed_tools: leaves only the tools it names', async () => {
    expect(await offered('{}')).toEqual(['look', 'shout', 'whisper'])
    expect(await offered('{ permissions: { allowed_tools: [look, shout] } }')).toEqual(['look', 'shout'])
  })

  it('openai.disallowed_tools: and openai.permissions.disallowed_tools: remove the tools they name', async () => {
    const lists = '{ disallowed_tools: [shout], permissions: { disallowed_tools: [whisper] } }'
    expect(await offered(lists)).toEqual(['look'])
  })
})
