// The loop in front of a simulated model, through the official client of either wire.
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSimulator, type FaultRule, Scenario } from '@quarterdeck/model'
import { type AgentDefinition, type JsonObject, modelCatalog, SessionId } from '@quarterdeck/protocol'
import { claudeSettings, noTools, testAgent } from '../../../agent-definition.fixture.ts'
import { silentLogger } from '../../../telemetry/logger.ts'
import { wholeShape } from '../../../tools/session-shape.ts'
import type { AgentBackend, InProcessAccess, SessionOptions } from '../../backend.ts'
import { gateOf } from '../../backend-events.contract.ts'
import { nobodyThere } from '../../nobody-there.contract.ts'
import type { ScenarioStep } from '../../scenario-step.fixture.ts'
import { createLoopBackend, type LoopBackendOptions } from '../create-loop-backend.ts'
import { usualPatience } from '../retry-plan.ts'
import { type CountingDesk, createCountingDesk } from './counting-desk.fixture.ts'
import { openModelDoor } from './model-door.fixture.ts'
import { shellTools } from './shell-tools.fixture.ts'

export const wires = ['anthropic', 'openai'] as const

export interface LoopWorldOptions {
  readonly wire: InProcessAccess['wire']
  readonly steps: readonly ScenarioStep[]
  readonly faults?: readonly FaultRule[]
  /** Letters of the longest request the model takes. */
  readonly longest?: number
  readonly agent?: Partial<AgentDefinition>
  readonly backend?: Partial<LoopBackendOptions>
}

export interface LoopWorld {
  readonly backend: AgentBackend
  readonly dataDir: string
  readonly cwd: string
  readonly desk: CountingDesk
  /** What the model was asked, oldest first. */
  requests(): readonly JsonObject[]
  options(overrides?: Partial<SessionOptions>): SessionOptions
  /** Another backend on the same folder, as after a restart. */
  restart(): AgentBackend
  /** What amounts to the death of the process. */
  crash(): void
  close(): Promise<void>
}

export async function openLoopWorld(world: LoopWorldOptions): Promise<LoopWorld> {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-loop-'))
  const dataDir = join(root, 'data')
  const cwd = mkdtempSync(join(root, 'work-'))
  const simulator = createSimulator({
    mode: { script: Scenario.parse({ steps: world.steps }) },
    faults: world.faults ?? [],
    paceMs: 0,
  })
  const door = await openModelDoor((await simulator.listen()).url, world.longest)
  const desk = createCountingDesk()
  const life = new AbortController()
  const agent = testAgent(cwd, { backend: 'loop', claude: claudeSettings(cwd, noTools), ...world.agent })
  const create = () =>
    createLoopBackend({
      ...{ agent, dataDir, clock: { now: () => new Date() }, logger: silentLogger, lifeline: life.signal },
      catalog: async () => modelCatalog,
      patience: { ...usualPatience, maxRetries: 0 },
      ...world.backend,
    })
  const backend = create()
  const modelAccess = accessOf(world.wire, door.url, desk)
  return {
    ...{ backend, dataDir, cwd, desk, restart: create, requests: door.requests },
    options: (overrides = {}) => ({ ...sessionOptions(cwd, modelAccess), ...overrides }),
    crash: () => life.abort(),
    async close() {
      await backend.teardown()
      await door.close()
      await simulator.close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function accessOf(wire: InProcessAccess['wire'], url: string, requests: CountingDesk): InProcessAccess {
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
    ...nobodyThere,
    hostTools: shellTools,
    gate: gateOf({}),
    modelAccess,
    resume: null,
    shape: wholeShape,
  }
}
