// A real CLI in front of a simulated model, for the tests of this adapter.
import { mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSimulator, type FaultRule, Scenario } from '@quarterdeck/model'
import { type CatalogModel, modelCatalog, SessionId } from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { Isolation } from '../../../isolation/hide-files.ts'
import { probeIsolation } from '../../../isolation/probe-isolation.ts'
import { readRecords } from '../../../isolation/process-record.ts'
import { silentLogger } from '../../../telemetry/logger.ts'
import { wholeShape } from '../../../tools/session-shape.ts'
import type { AgentBackend, SessionOptions } from '../../backend.ts'
import { gateOf } from '../../backend-events.contract.ts'
import { nobodyThere } from '../../nobody-there.contract.ts'
import { type ClaudeBackendOptions, createClaudeBackend } from '../create-claude-backend.ts'
import { type KeptRequest, keepRequests } from './request-keeper.fixture.ts'
import { type AgentWishes, trustedAgent } from './trusted-agent.fixture.ts'

export type ScenarioStep = z.input<typeof Scenario>['steps'][number]

export interface WorldOptions extends AgentWishes {
  readonly steps: readonly ScenarioStep[] | ((place: Pick<ClaudeWorld, 'root' | 'dataDir'>) => readonly ScenarioStep[])
  readonly faults?: readonly FaultRule[]
  readonly paceMs?: number
  readonly maxRetries?: number
  readonly interruptPatienceMs?: number
  readonly tools?: readonly string[]
  readonly isolation?: Isolation
  readonly catalog?: readonly CatalogModel[]
  readonly tap?: (message: unknown) => void
  readonly mcpServers?: ClaudeBackendOptions['mcpServers']
}

export interface ClaudeWorld {
  readonly backend: AgentBackend
  readonly root: string
  readonly dataDir: string
  readonly cwd: string
  readonly simulator: ReturnType<typeof createSimulator>
  /** What the model was shown, request by request. */
  conversations(): readonly string[]
  requests(): readonly KeptRequest[]
  options(overrides?: Partial<SessionOptions>): SessionOptions
  /** The processes that run now, as the backend noted them. */
  pids(): readonly number[]
  close(): Promise<void>
}

let probed: Promise<Isolation> | null = null

export async function openClaudeWorld(world: WorldOptions): Promise<ClaudeWorld> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-claude-')))
  const dataDir = join(root, 'data')
  const cwd = mkdtempSync(join(root, 'work-'))
  const simulator = createSimulator({
    mode: { script: Scenario.parse({ steps: stepsOf(world, { root, dataDir }) }) },
    faults: world.faults ?? [],
    paceMs: world.paceMs ?? 0,
  })
  const { url: behind } = await simulator.listen()
  const keeper = await keepRequests(behind)
  const { url } = keeper
  probed ??= probeIsolation()
  const backend = createClaudeBackend({
    agent: trustedAgent(cwd, world),
    tools: world.tools ?? ['Bash', 'Read', 'Glob', 'Grep', 'Write', 'Edit', 'Agent'],
    dataDir,
    catalog: async () => world.catalog ?? modelCatalog,
    // Only the folders of the system: a test agent needs no more.
    path: `${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`,
    clock: { now: () => new Date() },
    logger: silentLogger,
    patience: { maxRetries: world.maxRetries ?? 2, timeoutMs: 60_000 },
    isolation: world.isolation ?? (await probed),
    ...(world.interruptPatienceMs !== undefined && { interruptPatienceMs: world.interruptPatienceMs }),
    ...(world.tap !== undefined && { tap: world.tap }),
    ...(world.mcpServers !== undefined && { mcpServers: world.mcpServers }),
  })
  return {
    backend,
    root,
    dataDir,
    cwd,
    simulator,
    conversations: keeper.conversations,
    requests: keeper.requests,
    options: (overrides = {}) => ({ ...sessionOptions(cwd, url), ...overrides }),
    pids: () => readRecords(dataDir).map((record) => record.process.pid),
    async close() {
      await backend.teardown()
      await keeper.close()
      await simulator.close()
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const stepsOf = ({ steps }: WorldOptions, place: Pick<ClaudeWorld, 'root' | 'dataDir'>): readonly ScenarioStep[] =>
  typeof steps === 'function' ? steps(place) : steps

function sessionOptions(cwd: string, baseUrl: string): SessionOptions {
  return {
    sessionId: SessionId.parse('ses_claudetest'),
    cwd,
    model: 'claude-sonnet-4-5-20250929',
    modelSource: 'simulator',
    permissionMode: 'acceptAll',
    limits: { maxTurns: 20, maxBudgetUsd: 5, maxDurationMs: 600_000 },
    ...nobodyThere,
    gate: gateOf({}),
    modelAccess: { type: 'gateway', baseUrl, token: 'made-up-token' },
    resume: null,
    shape: wholeShape,
  }
}
