// A real CLI with a simulated model, for the tests of this adapter.
import { mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CatalogModel, modelCatalog, SessionId } from '@quarterdeck/protocol'
import { createSimulator, type FaultRule, Scenario } from '@quarterdeck/simulator'
import { probeIsolation } from '../../../isolation/probe-isolation.ts'
import { readRecords } from '../../../isolation/process-record.ts'
import type { Isolation } from '../../../isolation/sandbox-command.ts'
import { silentLogger } from '../../../ports/logger.ts'
import { openRecordingProxy } from '../../../testing/recording-proxy.fixture.ts'
import type { SessionOptions } from '../../backend.ts'
import { optionsOf } from '../../contract/backend-harness.contract.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { type ClaudeBackendOptions, createClaudeBackend } from '../create-claude-backend.ts'
import { type AgentOverrides, trustedAgent } from './trusted-agent.fixture.ts'

interface HarnessFolders {
  readonly root: string
  readonly dataDir: string
}

export interface ClaudeHarnessOptions extends AgentOverrides {
  readonly steps: readonly ScenarioStep[] | ((folders: HarnessFolders) => readonly ScenarioStep[])
  readonly faults?: readonly FaultRule[]
  readonly paceMs?: number
  readonly maxRetries?: number
  readonly interruptTimeoutMs?: number
  readonly tools?: readonly string[]
  readonly isolation?: Isolation
  readonly catalog?: readonly CatalogModel[]
  readonly tap?: (message: unknown) => void
  readonly mcpServers?: ClaudeBackendOptions['mcpServers']
}

export interface RecordedRequest {
  readonly model: string
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number }
  readonly max_tokens?: number
  readonly system?: unknown
  readonly tools?: readonly { readonly name: string; readonly type?: string; readonly input_schema?: unknown }[]
  readonly output_config?: { readonly effort?: string }
  readonly messages: readonly unknown[]
}

let probed: Promise<Isolation> | null = null

export type ClaudeHarness = Awaited<ReturnType<typeof openClaudeHarness>>

export async function openClaudeHarness(harness: ClaudeHarnessOptions) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-claude-')))
  const dataDir = join(root, 'data')
  const cwd = mkdtempSync(join(root, 'work-'))
  const simulator = createSimulator({
    mode: { script: Scenario.parse({ steps: stepsOf(harness, { root, dataDir }) }) },
    faults: harness.faults ?? [],
    paceMs: harness.paceMs ?? 0,
  })
  const proxy = await openRecordingProxy((await simulator.listen()).url)
  const requests = (): readonly RecordedRequest[] => proxy.bodies('/v1/messages').map((body) => JSON.parse(body))
  probed ??= probeIsolation()
  const backend = createClaudeBackend({
    agent: trustedAgent(cwd, harness),
    tools: harness.tools ?? ['Bash', 'Read', 'Glob', 'Grep', 'Write', 'Edit', 'Agent'],
    dataDir,
    catalog: async () => harness.catalog ?? modelCatalog,
    // Only system folders: a test agent needs no more.
    path: `${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`,
    clock: { now: () => new Date() },
    logger: silentLogger,
    retryPolicy: { maxRetries: harness.maxRetries ?? 2, timeoutMs: 60_000 },
    isolation: harness.isolation ?? (await probed),
    ...(harness.interruptTimeoutMs !== undefined && { interruptTimeoutMs: harness.interruptTimeoutMs }),
    ...(harness.tap !== undefined && { tap: harness.tap }),
    ...(harness.mcpServers !== undefined && { mcpServers: harness.mcpServers }),
  })
  return {
    backend,
    root,
    dataDir,
    cwd,
    simulator,
    /** The conversation of each request, oldest first, as text without the reminders that the CLI adds. */
    conversations: () => requests().map(textOf),
    requests,
    options: (overrides: Partial<SessionOptions> = {}): SessionOptions => ({
      ...sessionOptions(cwd, proxy.url),
      ...overrides,
    }),
    /** The processes that are running, according to the backend's records. */
    pids: () => readRecords(dataDir).map((record) => record.process.pid),
    async close() {
      await backend.teardown()
      await proxy.close()
      await simulator.close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const stepsOf = ({ steps }: ClaudeHarnessOptions, folders: HarnessFolders): readonly ScenarioStep[] =>
  typeof steps === 'function' ? steps(folders) : steps

function sessionOptions(cwd: string, baseUrl: string): SessionOptions {
  const modelAccess = { type: 'gateway', baseUrl, token: 'made-up-token' } as const
  const chosen = { cwd, model: 'claude-sonnet-4-5-20250929', modelSource: 'simulator', modelAccess } as const
  return optionsOf({ options: chosen }, { sessionId: SessionId.parse('ses_claudetest') })
}

const textOf = ({ messages }: RecordedRequest): string =>
  JSON.stringify(messages).replaceAll(/<system-reminder>.*?<\/system-reminder>/g, '')
