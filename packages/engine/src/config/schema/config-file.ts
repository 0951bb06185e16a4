// config.yaml: settings for all agents of a project or a user. Nearer files win, and merging keeps settings that the
// nearer file does not mention.
import { dirname, join } from 'node:path'
import { isRecord, ModelTier } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { ConfigProblem } from '../problems/problem.ts'
import { entryOf, valueAt } from '../problems/value-path.ts'
import { type ConfigSource, type ReadSourceOptions, readSource } from '../yaml/config-source.ts'
import { serverKeys } from '../yaml/secret-paths.ts'
import { GatewaySetting, ModelSourceSetting } from './agent-file.ts'
import { ExecutionBlock } from './execution-block.ts'
import { ModelBlock } from './model-block.ts'
import { ObservabilityBlock } from './observability-block.ts'
import { parseShape } from './parse-shape.ts'
import { DatabaseBlock } from './search-blocks.ts'
import { GatewayBlock, serverBlocks } from './server-blocks.ts'
import { optionalSetting, text } from './setting-schemas.ts'
import { McpBlock } from './tools-block.ts'
import { refuseUnsupported, unsupportedConfigKeys } from './unsupported.ts'

const dollars = z.number().nonnegative()
const weight = z.number().min(0).max(10)

/** Dollars per million tokens. All four are required: a guessed price would give wrong costs. */
const PriceBlock = z.strictObject({ input: dollars, output: dollars, cache_read: dollars, cache_write: dollars })

export const ModelOverride = z.strictObject({
  price: optionalSetting(PriceBlock, 'Dollars per million tokens.'),
  label: optionalSetting(text, 'The name shown to users.'),
  context_window: optionalSetting(
    z.int().positive(),
    'Maximum tokens of a conversation. Default for models outside the catalog: 200000.',
  ),
  tier: optionalSetting(ModelTier, 'The tier. Default for models outside the catalog: `high`.'),
  cache_weights: optionalSetting(
    z.strictObject({ read: weight, write: weight }),
    'Weight of cached tokens in units. Default: 0 for reads, 1 for writes.',
  ),
})
export type ModelOverride = z.infer<typeof ModelOverride>

/** Defaults for `model`, `embedding_provider` and `evaluations.model` of this provider. */
const ProviderEntry = ModelBlock.extend({
  provider: optionalSetting(
    z.enum(['anthropic', 'openai', 'azure_openai', 'ollama']),
    'The provider. Default: the name of this entry.',
  ),
})

/** With `gateway:` as a map. `on`/`off` has a separate schema, so that problems inside the map have a position. */
export const ConfigFile = z.strictObject({
  model_source: optionalSetting(ModelSourceSetting, 'As in agent.yaml, which overrides it.'),
  gateway: optionalSetting(GatewayBlock, '`on` or `off` as in agent.yaml, which overrides it; or a map.'),
  models: optionalSetting(z.record(z.string(), ModelOverride), 'Changes to the model catalog, by id or alias.'),
  providers: optionalSetting(
    z.record(z.string(), ProviderEntry),
    'Defaults for every `model`, `embedding_provider` or judge of this provider.',
  ),
  vectorstores: optionalSetting(z.record(z.string(), DatabaseBlock), 'Stores for `database` of search tools.'),
  mcp_servers: optionalSetting(
    z.array(McpBlock.extend({ type: z.literal('mcp').nullish() })).max(50),
    'MCP servers that every agent gets unless it has a tool of the same name.',
  ),
  execution: optionalSetting(ExecutionBlock, 'As in agent.yaml, which overrides it.'),
  observability: optionalSetting(ObservabilityBlock, 'As in agent.yaml, which overrides it.'),
  ...serverBlocks,
})
const ConfigFileWithGatewaySwitch = ConfigFile.extend({ gateway: GatewaySetting.nullish() })
export type ConfigFile = z.infer<typeof ConfigFile>

export interface ReadConfigOptions extends ReadSourceOptions {
  readonly agentFile: string
  readonly cwd: string
}

export async function readConfig(options: ReadConfigOptions) {
  const { agentFile, cwd, homeDir } = options
  const folders = [dirname(agentFile), cwd, join(homeDir, '.quarterdeck')]
  /** Every file looked for, including missing ones. */
  const files = [...new Set(folders.map((folder) => join(folder, 'config.yaml')))]
  const problems: ConfigProblem[] = []
  const reads: string[] = []
  /** The existing files, nearest first. */
  const sources: ConfigSource[] = []
  let config: ConfigFile = {}
  for (const file of files) {
    const source = await readSource(file, options)
    if (source === null) continue
    config = mergeUnder(config, parseConfig(source))
    if (file === files[0] && folders[0] !== cwd) warnOfServerKeys(source)
    problems.push(...source.problems.filter(concernsAgents))
    reads.push(...source.reads)
    sources.push(source)
  }
  return { config, sources, problems, files: [...files, ...reads] }
}

/** The valid part of the file; problems are reported. */
export function parseConfig(source: ConfigSource): ConfigFile {
  // A file with only comments is an empty config.
  if (source.value === undefined || source.value === null) return {}
  const value = refuseUnsupported(source, unsupportedConfigKeys)
  const shape = { source, value, otherKeys: unsupportedConfigKeys }
  const gateway = valueAt(value, ['gateway'])
  if (gateway === undefined || gateway === null || isRecord(gateway))
    return parseShape({ schema: ConfigFile, ...shape }) ?? {}
  const { gateway: gatewaySwitch, ...rest } = parseShape({ schema: ConfigFileWithGatewaySwitch, ...shape }) ?? {}
  return {
    ...rest,
    gateway: gatewaySwitch == null ? gatewaySwitch : { enabled: gatewaySwitch === true || gatewaySwitch === 'on' },
  }
}

/** Server settings beside an agent file have no effect. */
function warnOfServerKeys(source: ConfigSource): void {
  for (const key of serverKeys.filter((name) => valueAt(source.value, [name]) != null)) {
    source.warnNoEffectIn([key], 'here: move it to the config.yaml of the folder the server starts in')
  }
}

/** A missing variable of a server setting is reported when the server starts: agents do not need it. */
const concernsAgents = ({ code, path }: ConfigProblem): boolean =>
  code !== 'config.missing-variable' || !serverKeys.includes(path.split(/[.[]/)[0] ?? '')

export function mergeUnder(near: ConfigFile, far: ConfigFile): ConfigFile {
  const models: Record<string, ModelOverride> = { ...far.models }
  for (const [id, override] of Object.entries(near.models ?? {})) models[id] = over(entryOf(models, id), override)
  const gateway = over(far.gateway ?? undefined, near.gateway ?? {})
  const processes = over(far.processes ?? undefined, near.processes ?? {})
  const retention = over(far.retention ?? undefined, near.retention ?? {})
  return { ...over(far, near), models, gateway, processes, retention }
}

/** `near` over `far`; absent and null values of `near` do not override. */
function over<T extends object>(far: T | undefined, near: T): T {
  const written = Object.fromEntries(Object.entries(near).filter(([, value]) => value !== undefined && value !== null))
  return Object.assign({}, far, written) as T // both have the same shape, so their union does too
}
