import { tmpdir } from 'node:os'
import { draft, type SessionEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import { claudeSettings } from '../../testing/agent-definition.fixture.ts'
import { backendOf, completedTurn } from '../testing/backend-of-turn.fixture.ts'
import { openTestRuntime } from '../testing/test-runtime.fixture.ts'

const delegation = (toolUseId: string) => ({
  toolName: 'Agent',
  toolInput: { subagent_type: 'explorer', prompt: toolUseId },
  toolUseId,
  agent: null,
})

async function openRuntime(backend: AgentBackend) {
  const subagents = { enabled: true, maxParallel: 2 }
  const claude = claudeSettings(tmpdir(), { permissionMode: 'acceptAll', subagents })
  const runtime = await openTestRuntime({ backend, agent: { claude } })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester' }, 'ana')
  const isLogged = (matches: (event: SessionEvent) => boolean) =>
    expect.poll(async () => (await runtime.log(sessionId)).some(matches), { timeout: 60_000 }).toBe(true)
  return { ...runtime, sessionId, isLogged }
}

it('lets any number of subagents work one after the other', async () => {
  const verdicts: string[] = []
  const backend = backendOf(async function* (_, gate) {
    for (const toolUseId of ['one', 'two', 'three', 'four']) {
      yield draft('AgentInvokedTool', { ...delegation(toolUseId), messageId: toolUseId })
      verdicts.push((await gate.check(delegation(toolUseId))).type)
      yield draft('ToolExecuted', { toolName: 'Agent', toolUseId, output: '', isError: false, durationMs: 0 })
      // Like a model, it reads the result before it delegates again.
      await runtime.isLogged((event) => event.type === 'ToolExecuted' && event.data.toolUseId === toolUseId)
    }
    yield completedTurn
  })
  const runtime = await openRuntime(backend)
  await runtime.sessions.sendMessage(runtime.sessionId, { content: 'go' }, 'ana')
  await runtime.until(runtime.sessionId, 'idle', 'failed')
  expect(verdicts).toEqual(['allow', 'allow', 'allow', 'allow'])
})

it('gives a new turn its full limit, even if subagents of the last turn never returned', async () => {
  const verdicts: string[][] = []
  const backend = backendOf(async function* (input, gate) {
    const calls = ['one', 'two', 'three'].map((name) => gate.check(delegation(`${input} ${name}`)))
    verdicts.push((await Promise.all(calls)).map(({ type }) => type).sort())
    yield completedTurn
  })
  const runtime = await openRuntime(backend)
  for (const content of ['first', 'second']) await runtime.sessions.sendMessage(runtime.sessionId, { content }, 'ana')
  await expect.poll(() => verdicts.length, { timeout: 60_000 }).toBe(2)
  expect(verdicts).toEqual([
    ['allow', 'allow', 'deny'],
    ['allow', 'allow', 'deny'],
  ])
})
