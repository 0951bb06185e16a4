// The loop with a simulated model, through the official client of either wire.
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentDefinition, type JsonObject, modelCatalog, SessionId } from '@quarterdeck/protocol'
import { createSimulator, type FaultRule, Scenario } from '@quarterdeck/simulator'
import { allSessionTools } from '../../../permissions/tools/session-tools.ts'
import { silentLogger } from '../../../ports/logger.ts'
import type { InProcessAccess } from '../../../ports/model-access.ts'
import { claudeSettings, noTools, testAgent } from '../../../testing/agent-definition.fixture.ts'
import type { AgentBackend, SessionOptions } from '../../backend.ts'
import { gateOf } from '../../contract/backend-events.contract.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { unattendedOptions } from '../../contract/unattended-options.contract.ts'
import { createLoopBackend, type LoopBackendOptions } from '../create-loop-backend.ts'
import { defaultRetryPolicy } from '../request/loop-retry-policy.ts'
import { createRecordingAdmission, type RecordingAdmission } from './recording-admission.fixture.ts'
import { openRecordingProxy } from './recording-proxy.fixture.ts'
import { shellTools } from './shell-tools.fixture.ts'

export const wires = ['anthropic', 'openai'] as const

export interface LoopHarnessOptions {
  readonly wire: InProcessAccess['wire']
  readonly steps: readonly ScenarioStep[]
  readonly faults?: readonly FaultRule[]
  /** The longest request that the model accepts, in characters. */
  readonly longest?: number
  readonly agent?: Partial<AgentDefinition>
  readonly backend?: Partial<LoopBackendOptions>
}

export interface LoopHarness {
  readonly backend: AgentBackend
  readonly dataDir: string
  readonly cwd: string
  readonly admission: RecordingAdmission
  /** The model requests, oldest first. */
  requests(): readonly JsonObject[]
  options(overrides?: Partial<SessionOptions>): SessionOptions
  /** Another backend on the same folder, as after a restart. */
  restart(): AgentBackend
  /** Simulates a crash of the process. */
  crash(): void
  close(): Promise<void>
}

export async function openLoopHarness(harness: LoopHarnessOptions): Promise<LoopHarness> {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-loop-'))
  const dataDir = join(root, 'data')
  const cwd = mkdtempSync(join(root, 'work-'))
  const simulator = createSimulator({
    mode: { script: Scenario.parse({ steps: harness.steps }) },
    faults: harness.faults ?? [],
    paceMs: 0,
  })
  const proxy = await openRecordingProxy((await simulator.listen()).url, harness.longest)
  const admission = createRecordingAdmission()
  const life = new AbortController()
  const agent = testAgent(cwd, { backend: 'loop', claude: claudeSettings(cwd, noTools), ...harness.agent })
  const create = () =>
    createLoopBackend({
      agent,
      dataDir,
      clock: { now: () => new Date() },
      logger: silentLogger,
      crashSignal: life.signal,
      catalog: async () => modelCatalog,
      retryPolicy: { ...defaultRetryPolicy, maxRetries: 0 },
      ...harness.backend,
    })
  const backend = create()
  const modelAccess = accessOf(harness.wire, proxy.url, admission)
  return {
    backend,
    dataDir,
    cwd,
    admission,
    restart: create,
    requests: proxy.requests,
    options: (overrides = {}) => ({ ...sessionOptions(cwd, modelAccess), ...overrides }),
    crash: () => life.abort(),
    async close() {
      await backend.teardown()
      await proxy.close()
      await simulator.close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function accessOf(wire: InProcessAccess['wire'], url: string, requests: RecordingAdmission): InProcessAccess {
  const common = { type: 'in-process', wire, apiKey: 'made-up', keyHeader: 'x-api-key', requests } as const
  return {
    ...common,
    provider: wire,
    baseUrl: wire === 'openai' ? `${url}/v1` : url,
    apiVersion: wire === 'azure_openai' ? '2024-10-21' : null,
  }
}

function sessionOptions(cwd: string, modelAccess: InProcessAccess): SessionOptions {
  return {
    sessionId: SessionId.parse('ses_looptest'),
    cwd,
    model: 'claude-sonnet-4-5-20250929',
    modelSource: 'simulator',
    permissionMode: 'acceptAll',
    limits: { maxTurns: 20, maxBudgetUsd: 5, maxDurationMs: 600_000 },
    ...unattendedOptions,
    hostTools: shellTools,
    gate: gateOf({}),
    modelAccess,
    resume: null,
    sessionTools: allSessionTools,
  }
}
