// Composes agent files, the model connections and the engine over one data folder.
import { readFile } from 'node:fs/promises'
import {
  createAgentRegistry,
  createEngine,
  createMetricRegistry,
  createRuntimeMetrics,
  type EmbeddingAccess,
  type Engine,
  type EngineOptions,
  type FileAgentRegistry,
  formatProblem,
  type Logger,
  type MetricRegistry,
  readServerSettings,
  type ServerSettings,
  serverSecretFiles,
} from '@quarterdeck/engine'
import { rateTiers } from '@quarterdeck/model'
import { type AgentDefinition, QuarterdeckError } from '@quarterdeck/protocol'
import { loadScenario, type SimulatorOptions } from '@quarterdeck/simulator'
import { registerEngineMetrics } from '../metrics/server-metrics.ts'
import { connectModels, type TrafficShaping } from '../models/connect-models.ts'
import { type ProviderRoute, wireOf } from '../models/simulated-access.ts'
import { refuseExposure } from './exposure.ts'

export interface RuntimeOptions {
  /** Absolute. */
  readonly dataDir: string
  /** Folders to search for agent files, and single agent files. */
  readonly agentPaths: readonly string[]
  /** The variables that agent files and credentials may use. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDir: string
  readonly cwd: string
  /** From the command line; overrides files and environment. */
  readonly modelSource?: 'provider' | 'simulator' | 'auto'
  readonly turnTimeoutMs?: number
  /** `note`: a missing model key is accepted, because the model is not called. */
  readonly credentials?: 'require' | 'note'
  readonly role: 'server' | 'command'
  /** The address of a server. */
  readonly address: string | null
  /** The host of a server: beyond loopback some agents are refused. */
  readonly host?: string
  /** Whether someone can approve calls. */
  readonly canAsk: boolean
  /** Called for each call that was denied because there was no person to approve it. */
  readonly onUnattended?: EngineOptions['onUnattended']
  /** Whether to reload functions of agent files when their modules change. */
  readonly isWatching?: boolean
  /** Whether agents that run programs may start where they cannot be sandboxed. `config.yaml` may allow it as well. */
  readonly allowUnsandboxed?: boolean
  /** Probed from the system by default; tests pass their own. */
  readonly isolation?: EngineOptions['isolation']
  /** Called after each write to the log of any session. Must not throw. */
  readonly onWritten?: EngineOptions['onWritten']
  readonly logger: Logger
  /** A scenario for the simulator instead of its demo. */
  readonly scriptFile?: string
  /** Whether to start although the data folder has lost data. */
  readonly acceptLoss?: boolean
  /** A file or an http(s) address that also gets the heads of the audit chain. */
  readonly auditCopy?: string
  /** The Claude backend by default; tests pass their own. */
  readonly createBackend?: EngineOptions['createBackend']
}

/** The search path for shells if the environment has none. */
const usualPath = '/usr/local/bin:/usr/bin:/bin'

export interface Runtime {
  readonly engine: Engine
  readonly agents: FileAgentRegistry
  readonly settings: ServerSettings
  /** Metrics of its sessions. */
  readonly metrics: MetricRegistry
  /** Ends every process and closes the data folder. */
  close(): Promise<void>
}

export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { dataDir, env, homeDir, cwd, role, address, canAsk, logger, createBackend } = options
  const { agentPaths: paths, modelSource, turnTimeoutMs, credentials } = options
  const registry = createAgentRegistry({ paths, env, homeDir, cwd, modelSource, turnTimeoutMs, credentials })
  const agents = options.host === undefined ? registry : guardExposure(registry, options.host)
  // The redactor must know every key before recovery writes events.
  await registry.loaded()
  const settings = await readServerSettings({ cwd, homeDir, env, role })
  for (const problem of settings.warnings) logger.warn({}, formatProblem(problem, cwd))
  const simulator = await simulatorOptions(options.scriptFile)
  const metrics = createMetricRegistry()
  const runtimeMetrics = createRuntimeMetrics(metrics)
  const engine = await createEngine({
    dataDir,
    agents,
    role,
    address,
    canAsk,
    logger,
    shellPath: env.PATH ?? usualPath,
    secretFiles: serverSecretFiles({ homeDir, cwd }),
    secrets: joinedSecrets(registry.secrets, settings.secrets),
    processes: settings.processes,
    isWatching: options.isWatching ?? false,
    allowUnsandboxed: options.allowUnsandboxed === true || settings.allowUnsandboxed,
    isolation: options.isolation,
    ...(role === 'server' ? serverOnly(settings) : {}),
    connectModels: (decisions) =>
      connectModels(
        {
          simulator,
          shaping: shapingOf(settings),
          logger,
          providerRoute: (agent) => providerRoute(registry, agent),
          embeddingRoute: (agent) => embeddingRoute(registry, agent),
        },
        decisions,
      ),
    createBackend,
    acceptLoss: options.acceptLoss ?? false,
    auditCopy: options.auditCopy,
    onUnattended: options.onUnattended,
    onWritten(state, events) {
      runtimeMetrics.observe(state, events)
      options.onWritten?.(state, events)
    },
  })
  registerEngineMetrics(metrics, engine)
  return { engine, agents, settings, metrics, close: engine.close }
}

/** Settings that a command with one session ignores. */
const serverOnly = ({ webhooks, budgets, deleteAfterMs }: ServerSettings) => ({ webhooks, budgets, deleteAfterMs })

const shapingOf = ({ rate, gateway }: ServerSettings): TrafficShaping => ({
  rate: rate.limits ?? rateTiers[rate.tier],
  shapesSimulator: rate.shapesSimulator,
  ...gateway,
})

/** Files change while the server runs: exposure is checked for each session, not only at the start. */
function guardExposure(registry: FileAgentRegistry, host: string): FileAgentRegistry {
  return {
    ...registry,
    async load(name) {
      const agent = await registry.load(name)
      const loaded = await registry.loaded()
      refuseExposure(
        host,
        loaded.filter(({ file }) => file === agent.file),
      )
      return agent
    },
  }
}

async function simulatorOptions(scriptFile: string | undefined): Promise<SimulatorOptions> {
  if (scriptFile === undefined) return { mode: 'demo' }
  const text = await readFile(scriptFile, 'utf8').catch((cause: unknown) => {
    throw new QuarterdeckError('config.unreadable', `the script ${scriptFile} cannot be read`, { cause })
  })
  return { mode: { script: loadScenario(text, scriptFile) } }
}

async function providerRoute(registry: FileAgentRegistry, agent: AgentDefinition): Promise<ProviderRoute> {
  const access = await registry.access(agent)
  switch (access.type) {
    case 'key': {
      const { header, baseUrl } = access
      const upstream = { baseUrl, credential: { header, value: access.value.reveal() } }
      if (agent.backend !== 'loop') return { type: 'gateway', upstream }
      const keyHeader = header === 'x-api-key' ? header : 'authorization'
      const { provider, apiVersion } = agent.model
      const wire = wireOf(provider)
      return { type: 'in-process', wire, baseUrl, apiKey: access.key.reveal(), keyHeader, apiVersion, upstream }
    }
    case 'environment':
      return { type: 'environment', variables: access.variables.reveal() }
    case 'simulator':
      // The caller uses this only for agents of a provider; the file may have changed since.
      throw new QuarterdeckError('config.invalid', `agent "${agent.name}" has just changed: try again`)
  }
}

async function embeddingRoute(registry: FileAgentRegistry, agent: AgentDefinition): Promise<EmbeddingAccess> {
  const { apiKey, ...access } = await registry.embeddingAccess(agent)
  return { ...access, apiKey: apiKey.reveal() }
}

/** Returns the same list while nothing changed, so that callers can compare by identity. */
function joinedSecrets(first: () => readonly string[], second: readonly string[]): () => readonly string[] {
  let from = first()
  let joined = [...from, ...second]
  return () => {
    const now = first()
    if (now !== from) joined = [...now, ...second]
    from = now
    return joined
  }
}
