// An agent file on the real CLI: loaded like a user's, run by the session layer, with a simulated model that records
// its requests.
import { mkdtempSync, realpathSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentDefinition, EventOfType, EventType, SessionId, SessionStatus } from '@quarterdeck/protocol'
import { expect, onTestFinished } from 'vitest'
import { loadAgent } from '../../../config/load-agent.ts'
import type { EngineHooks } from '../../../hooks/create-hook-points.ts'
import { availableTools } from '../../../permissions/tools/available-tools.ts'
import type { Logger } from '../../../ports/logger.ts'
import type { TestRuntime } from '../../../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../../../sessions/testing/test-runtime.fixture.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { type ClaudeHarness, type ClaudeHarnessOptions, openClaudeHarness } from './claude-harness.fixture.ts'

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

export interface AgentHarness {
  readonly runtime: TestRuntime
  readonly harness: ClaudeHarness
  readonly agent: AgentDefinition
  /** The folder of the agent file. */
  readonly folder: string
  /** Sends a message in a new session. Resolves when the session exists. */
  prompt(message: string, ...until: readonly SessionStatus[]): Promise<TestConversation>
}

export interface TestConversation {
  readonly sessionId: SessionId
  of<Type extends EventType>(type: Type): Promise<readonly EventOfType<Type>[]>
  /** Waits until the session is idle again. */
  prompt(message: string): Promise<void>
  /** Of the last turn. */
  ended(): Promise<EventOfType<'TurnEnded'>['data']>
  /** The result of each call of the last turn, in the order of the calls. */
  results(): Promise<readonly { readonly name: string; readonly result: string; readonly isError: boolean }[]>
  /** Answers every approval until the turn has ended. Resolves with the tools that needed approval. */
  decideAll(decision: 'allow' | 'deny'): Promise<readonly string[]>
}

export async function openAgentHarness(options: AgentHarnessOptions): Promise<AgentHarness> {
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
    folder,
    async prompt(message, ...until) {
      const { sessionId } = await runtime.sessions.createSession({ agent: agent.name, message }, 'ana')
      await runtime.until(sessionId, ...(until.length === 0 ? (['idle'] as const) : until))
      return conversation(runtime, sessionId)
    },
  }
}

function conversation(runtime: TestRuntime, sessionId: SessionId): TestConversation {
  const of: TestConversation['of'] = async (type) =>
    (await runtime.log(sessionId)).filter((event): event is EventOfType<typeof type> => event.type === type)
  async function ended() {
    const last = (await of('TurnEnded')).at(-1)
    if (last === undefined) throw new Error('no turn has ended')
    return last.data
  }
  return {
    sessionId,
    of,
    ended,
    async results() {
      const { toolCalls, toolResults } = (await ended()).result
      return toolCalls.map(({ name, callId }) => {
        const { result, isError } = toolResults.find((one) => one.callId === callId) ?? { result: '', isError: true }
        return { name, result, isError }
      })
    },
    async decideAll(decision) {
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
    async prompt(content) {
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
