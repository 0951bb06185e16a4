// An agent file on the real CLI: loaded like a user's, run by the session layer, with a simulated model that records
// its requests.
import { mkdtempSync, realpathSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentDefinition, EventType, SessionId, SessionStatus } from '@quarterdeck/protocol'
import { expect, onTestFinished } from 'vitest'
import { loadAgent } from '../../../config/load-agent.ts'
import type { EngineHooks } from '../../../hooks/create-hook-points.ts'
import { availableTools } from '../../../permissions/tools/available-tools.ts'
import type { Logger } from '../../../ports/logger.ts'
import { eventsOf, type TestRuntime } from '../../../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../../../sessions/testing/test-runtime.fixture.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { type ClaudeHarnessOptions, openClaudeHarness } from './claude-harness.fixture.ts'

export interface AgentHarnessOptions extends Pick<ClaudeHarnessOptions, 'faults' | 'maxRetries' | 'tap'> {
  /** Appended to `name`, `model` and `instructions`, which have defaults. */
  readonly yaml: string
  readonly steps: readonly ScenarioStep[]
  /** Files next to the agent file. */
  readonly files?: Readonly<Record<string, string>>
  readonly hooks?: EngineHooks
  /** The values that hooks declare, by path. */
  readonly hookSecrets?: readonly Readonly<Record<string, string>>[]
  readonly logger?: Logger
}

export type AgentHarness = Awaited<ReturnType<typeof openAgentHarness>>

export async function openAgentHarness(options: AgentHarnessOptions) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-file-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const agent = await loadYaml(folder, options)
  const harness = await openClaudeHarness({ ...options, agent, tools: availableTools(agent.claude, agent.tools) })
  onTestFinished(harness.close)
  const { modelAccess } = harness.options()
  if (modelAccess.type !== 'gateway') throw new Error('the world has no address for its model')
  const { hooks, logger, hookSecrets = [] } = options
  const runtime = await openTestRuntime({
    backend: harness.backend,
    agent,
    modelUrl: () => modelAccess.baseUrl,
    hookSecrets: async () => hookSecrets,
    ...(hooks !== undefined && { hooks }),
    ...(logger !== undefined && { logger }),
  })
  return {
    runtime,
    harness,
    agent,
    /** The folder of the agent file. */
    folder,
    /** Sends a message in a new session. Resolves when the session exists. */
    async prompt(message: string, ...until: readonly SessionStatus[]) {
      const { sessionId } = await runtime.sessions.createSession({ agent: agent.name, message }, 'ana')
      await runtime.until(sessionId, ...(until.length === 0 ? (['idle'] as const) : until))
      return conversation(runtime, sessionId)
    },
  }
}

function conversation(runtime: TestRuntime, sessionId: SessionId) {
  const of = <Type extends EventType>(type: Type) => eventsOf(runtime, sessionId, type)
  /** Of the last turn. */
  async function ended() {
    const last = (await of('TurnEnded')).at(-1)
    if (last === undefined) throw new Error('no turn has ended')
    return last.data
  }
  return {
    sessionId,
    of,
    ended,
    /** The result of each call of the last turn, in the order of the calls. */
    async results() {
      const { toolCalls, toolResults } = (await ended()).result
      return toolCalls.map(({ name, callId }) => {
        const { result, isError } = toolResults.find((one) => one.callId === callId) ?? { result: '', isError: true }
        return { name, result, isError }
      })
    },
    /** Answers every approval until the turn has ended. Resolves with the tools that needed approval. */
    async decideAll(decision: 'allow' | 'deny') {
      const decided = new Map<string, string>()
      const decideOpen = async () => {
        const open = (await of('ApprovalRequested')).filter(({ data }) => !decided.has(data.approvalId))
        for (const { data } of open) decided.set(data.approvalId, data.toolName)
        for (const { data } of open) await runtime.sessions.decideApproval(data.approvalId, { decision }, 'ben')
        return (await of('TurnEnded')).length
      }
      await expect.poll(decideOpen, { interval: 20 }).toBe(1)
      return [...decided.values()]
    },
    /** Waits until the session is idle again. */
    async prompt(content: string) {
      const turns = (await of('TurnEnded')).length
      await runtime.sessions.sendMessage(sessionId, { content }, 'ana')
      await expect.poll(async () => (await of('TurnEnded')).length).toBeGreaterThan(turns)
    },
  }
}

const head: Readonly<Record<string, string>> = {
  name: 'name: tester',
  model: 'model: { provider: simulator, name: claude-sonnet-4-5-20250929 }',
  instructions: 'instructions: { inline: Be brief. }',
}

async function loadYaml(folder: string, { yaml, files = {} }: AgentHarnessOptions): Promise<AgentDefinition> {
  const lines = Object.entries(head).flatMap(([key, line]) => (new RegExp(`^${key}:`, 'm').test(yaml) ? [] : [line]))
  const all = { ...files, 'agent.yaml': `${[...lines, yaml].join('\n')}\n` }
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const loaded = await loadAgent('agent.yaml', { env: {}, homeDir: join(folder, 'home'), cwd: folder })
  if (loaded.agent === null) throw new Error(JSON.stringify(loaded.problems, null, 2))
  return loaded.agent
}
