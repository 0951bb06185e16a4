// The composition everybody starts from: agent files, the model side and the engine, over one data folder.
import { readFile } from 'node:fs/promises'
import {
  createAgentRegistry,
  createEngine,
  createMetricRegistry,
  createRuntimeMetrics,
  type EmbeddingAccess,
  type Engine,
  type EngineOptions,
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
import { connectModels, type ProviderRoute, type TrafficShaping } from '../models/connect-models.ts'
import { wireOf } from '../models/simulated-access.ts'
import { refuseExposure } from './exposure.ts'

export interface RuntimeOptions {
  /** Absolute. */
  readonly dataDir: string
  /** Folders to search for agent files, and files taken as they are. */
  readonly agentPaths: readonly string[]
  /** The variables agent files and credentials may refer to. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDir: string
  readonly cwd: string
  /** What was said on the command line; wins over files and environment. */
  readonly modelSource?: 'provider' | 'simulator' | 'auto'
  readonly turnTimeoutMs?: number
  /** `note`: a missing key of the model is no problem, because nobody asks it. */
  readonly credentials?: 'require' | 'note'
  readonly role: 'server' | 'command'
  /** Where a server answers. */
  readonly address: string | null
  /** What a server listens on: beyond loopback some agents are refused. */
  readonly host?: string
  /** Whether somebody can be asked for approval. */
  readonly canAsk: boolean
  /** Called for each call that was denied because nobody could be asked. */
  readonly onUnattended?: EngineOptions['onUnattended']
  /** Whether functions of agent files are loaded anew when their modules change. */
  readonly isWatching?: boolean
  /** Whether agents that run programs may start where they cannot be isolated. `config.yaml` may allow it as well. */
  readonly allowUnsandboxed?: boolean
  /** Probed from the system by default; tests pass their own. */
  readonly isolation?: EngineOptions['isolation']
  /** Called after each write to the log of any session. Must not throw. */
  readonly onWritten?: EngineOptions['onWritten']
  readonly logger: Logger
  /** A scenario the simulator follows instead of its demo. */
  readonly scriptFile?: string
  /** Whether to start although the data folder has lost data. */
  readonly acceptLoss?: boolean
  /** A file or an http(s) address that gets the heads of the audit chain as well. */
  readonly auditCopy?: string
  /** The Claude backend unless a test brings its own. */
  readonly createBackend?: EngineOptions['createBackend']
}

/** Where shells are found when the environment does not say. */
const usualPath = '/usr/local/bin:/usr/bin:/bin'

export type ServedAgentRegistry = ReturnType<typeof createAgentRegistry>

export interface Runtime {
  readonly engine: Engine
  readonly agents: ServedAgentRegistry
  readonly settings: ServerSettings
  /** What is counted of its sessions. */
  readonly metrics: MetricRegistry
  /** Ends every process and closes the data folder. */
  close(): Promise<void>
}

export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { dataDir, env, homeDir, cwd, role, address, canAsk, logger, createBackend } = options
  const { agentPaths: paths, modelSource, turnTimeoutMs, credentials } = options
  const registry = createAgentRegistry({ paths, env, homeDir, cwd, modelSource, turnTimeoutMs, credentials })
  const agents = options.host === undefined ? registry : guardExposure(registry, options.host)
  // What recovery writes must already pass a redactor that knows every key.
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
    ...(options.isolation === undefined ? {} : { isolation: options.isolation }),
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
    ...(createBackend === undefined ? {} : { createBackend }),
    acceptLoss: options.acceptLoss ?? false,
    ...(options.auditCopy === undefined ? {} : { auditCopy: options.auditCopy }),
    ...(options.onUnattended === undefined ? {} : { onUnattended: options.onUnattended }),
    onWritten(state, events) {
      runtimeMetrics.observe(state, events)
      options.onWritten?.(state, events)
    },
  })
  registerEngineMetrics(metrics, engine)
  return { engine, agents, settings, metrics, close: engine.close }
}

/** What a command that runs one session leaves alone. */
const serverOnly = ({ webhooks, budgets, deleteAfterMs }: ServerSettings) => ({ webhooks, budgets, deleteAfterMs })

const shapingOf = ({ rate, gateway }: ServerSettings): TrafficShaping => ({
  rate: rate.limits ?? rateTiers[rate.tier],
  shapesSimulator: rate.shapesSimulator,
  ...gateway,
})

/** Files change while the server runs: what may not be offered is refused when it is asked for, not only at the start. */
function guardExposure(registry: ServedAgentRegistry, host: string): ServedAgentRegistry {
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

async function providerRoute(registry: ServedAgentRegistry, agent: AgentDefinition): Promise<ProviderRoute> {
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
      // The caller asks only for agents of a provider; between then and now the file may have changed its mind.
      throw new QuarterdeckError('config.invalid', `agent "${agent.name}" has just changed: try again`)
  }
}

async function embeddingRoute(registry: ServedAgentRegistry, agent: AgentDefinition): Promise<EmbeddingAccess> {
  const { apiKey, ...access } = await registry.embeddingAccess(agent)
  return { ...access, apiKey: apiKey.reveal() }
}

/** The same list until the first one is another: whoever asks for each text can tell that nothing has changed. */
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
