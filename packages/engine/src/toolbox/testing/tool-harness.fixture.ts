// Engine sessions with tools of an agent file, on either backend, with a simulated model.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentDefinition, AgentTool, ApprovalPolicy, ClaudeSettings, SessionId } from '@quarterdeck/protocol'
import { onTestFinished } from 'vitest'
import type { AgentBackend } from '../../backends/backend.ts'
import type { ScenarioStep } from '../../backends/contract/scenario-step.fixture.ts'
import type { EngineHooks } from '../../hooks/create-hook-points.ts'
import { eventsOf, rests, type TestRuntime } from '../../sessions/testing/lifecycle.fixture.ts'
import { openTestRuntime } from '../../sessions/testing/test-runtime.fixture.ts'
import { claudeSettings, noTools, testAgent } from '../../testing/agent-definition.fixture.ts'
import type { ToolboxesOptions } from '../open-toolbox.ts'
import { openTestToolboxes } from './toolbox-harness.fixture.ts'

export interface ToolHarnessOptions extends Partial<ToolboxesOptions> {
  readonly steps: readonly ScenarioStep[]
  readonly files?: Readonly<Record<string, string>>
  readonly tools: (project: string) => readonly AgentTool[]
  readonly claude?: Partial<ClaudeSettings>
  readonly approvals?: Partial<ApprovalPolicy>
  readonly secrets?: readonly string[]
  readonly hooks?: EngineHooks
  /** A complete agent, for tests about more than its tools. */
  readonly agent?: AgentDefinition
}

/** A backend of this agent with a model that plays these steps. */
export type OpenToolBackend = (
  agent: AgentDefinition,
  steps: readonly ScenarioStep[],
) => Promise<{
  readonly backend: AgentBackend
  readonly dataDir: string
  /** The model requests, oldest first. */
  asked(): readonly string[]
  close(): Promise<void>
}>

export async function openToolHarness(open: OpenToolBackend, options: ToolHarnessOptions) {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-project-')))
  onTestFinished(() => rm(project, { recursive: true, force: true, maxRetries: 5 }))
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  const agent =
    options.agent ??
    testAgent(project, {
      file: join(project, 'agent.yaml'),
      tools: [...options.tools(project)],
      claude: claudeSettings(project, { ...noTools, permissionMode: 'acceptAll', ...options.claude }),
      approvals: { allow: [], deny: [], expiresAfterMs: null, ...options.approvals },
    })
  const { backend, dataDir, asked, close } = await open(agent, options.steps)
  onTestFinished(close)
  const toolboxes = openTestToolboxes(dataDir, options)
  onTestFinished(toolboxes.close)
  const runtime = await openTestRuntime({
    backend,
    agent,
    openToolbox: toolboxes.open,
    secrets: options.secrets ?? [],
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
  })
  return { runtime, asked, project }
}

export async function startWork(runtime: TestRuntime): Promise<SessionId> {
  return (await runtime.sessions.createSession({ agent: 'tester', message: 'work' }, 'ana')).sessionId
}

/** The results of the tools so far. */
export const resultsOf = async (runtime: TestRuntime, sessionId: SessionId) =>
  (await eventsOf(runtime, sessionId, 'ToolExecuted')).map(({ data }) => data)

/** Starts a session and waits for the end of its turn. */
export async function finishWork(runtime: TestRuntime) {
  const sessionId = await startWork(runtime)
  await rests(runtime, sessionId, 'idle')
  const results = await resultsOf(runtime, sessionId)
  return { sessionId, results, outputs: results.map(({ output }) => output) }
}
