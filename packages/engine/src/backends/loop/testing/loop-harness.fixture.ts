// The loop with a simulated model, through the official client of either wire.
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentDefinition, type JsonObject, modelCatalog, SessionId } from '@quarterdeck/protocol'
import { createSimulator, type FaultRule, Scenario } from '@quarterdeck/simulator'
import { onTestFinished } from 'vitest'
import { silentLogger } from '../../../ports/logger.ts'
import type { InProcessAccess } from '../../../ports/model-access.ts'
import { claudeSettings, noTools, testAgent } from '../../../testing/agent-definition.fixture.ts'
import { openRecordingProxy } from '../../../testing/recording-proxy.fixture.ts'
import type { SessionOptions } from '../../backend.ts'
import { optionsOf } from '../../contract/backend-harness.contract.ts'
import type { ScenarioStep } from '../../contract/scenario-step.fixture.ts'
import { createLoopBackend, type LoopBackendOptions } from '../create-loop-backend.ts'
import { defaultRetryPolicy } from '../request/loop-retry-policy.ts'
import { createRecordingAdmission, type RecordingAdmission } from './recording-admission.fixture.ts'
import { shellTools } from './toolbox.fixture.ts'

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

export type LoopHarness = Awaited<ReturnType<typeof openLoopHarness>>

export async function openLoopHarness(harness: LoopHarnessOptions) {
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
    /** Another backend on the same folder, as after a restart. */
    restart: create,
    /** The model requests, oldest first. */
    requests: (): readonly JsonObject[] => proxy.bodies().map((body) => JSON.parse(body)),
    options: (overrides: Partial<SessionOptions> = {}): SessionOptions => ({
      ...sessionOptions(cwd, modelAccess),
      ...overrides,
    }),
    /** Simulates a crash of the process. */
    crash: () => life.abort(),
    async close() {
      await backend.teardown()
      await proxy.close()
      await simulator.close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A harness that closes with its test. */
export async function openHarness(options: LoopHarnessOptions) {
  const harness = await openLoopHarness(options)
  onTestFinished(harness.close)
  return harness
}

/** A session in a new harness. */
export async function openLoop(options: LoopHarnessOptions, overrides: Partial<SessionOptions> = {}) {
  const harness = await openHarness(options)
  return { harness, session: await harness.backend.createSession(harness.options(overrides)) }
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
  const chosen = { cwd, model: 'claude-sonnet-4-5-20250929', modelSource: 'simulator', modelAccess } as const
  return optionsOf({ options: chosen }, { sessionId: SessionId.parse('ses_looptest'), hostTools: shellTools })
}
