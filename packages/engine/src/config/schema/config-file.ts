// config.yaml: what holds for every agent of a project or a person. Nearer files win, and merging never erases what the
// nearer one does not mention.
import { dirname, join } from 'node:path'
import { ModelTier } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { ConfigProblem } from '../problems/problem.ts'
import { entryOf, isMap, valueAt } from '../problems/value-path.ts'
import { type ConfigSource, type ReadSourceOptions, readSource } from '../yaml/config-source.ts'
import { ModelSourceSetting } from './agent-file.ts'
import { ExecutionBlock } from './execution-block.ts'
import { GatewaySetting } from './gateway-setting.ts'
import { ModelBlock } from './model-block.ts'
import { ObservabilityBlock } from './observability-block.ts'
import { parseShape } from './parse-shape.ts'
import { GatewayBlock, serverBlocks, serverKeys } from './server-blocks.ts'
import { McpBlock } from './tools-block.ts'
import { refuseUnsupported, unsupportedConfigKeys } from './unsupported.ts'

const text = z.string().trim().min(1, 'must not be blank')
const dollars = z.number().nonnegative()
const weight = z.number().min(0).max(10)

/** Dollars per million tokens; all four, because a guessed price is a wrong bill. */
const PriceBlock = z.strictObject({ input: dollars, output: dollars, cache_read: dollars, cache_write: dollars })

export const ModelOverride = z.strictObject({
  price: PriceBlock.nullish().describe('Dollars per million tokens.'),
  label: text.nullish().describe('What people see.'),
  context_window: z
    .int()
    .positive()
    .nullish()
    .describe('Tokens a conversation may hold; 200000 for a model the catalog does not know.'),
  tier: ModelTier.nullish().describe('Which tier it belongs to; `high` for a model the catalog does not know.'),
  cache_weights: z
    .strictObject({ read: weight, write: weight })
    .nullish()
    .describe('How much a cached token counts in units beside an ordinary one; 0 and 1 unless said.'),
})
export type ModelOverride = z.infer<typeof ModelOverride>

/** What an agent's `model`, `embedding_provider` and `evaluations.model` of this provider need not say. */
const ProviderEntry = ModelBlock.extend({
  provider: z
    .enum(['anthropic', 'openai', 'azure_openai', 'ollama'])
    .nullish()
    .describe('Which it is; its name here unless said.'),
})

const VectorstoreEntry = z.looseObject({
  provider: text.describe('`in-memory` or `sqlite`: the store in the data folder. Others are not supported yet.'),
  connection_string: z.string().nullish().describe('Of a foreign database; the embedded store has none.'),
})

/** With `gateway:` as a map. Its word form is a schema of its own, so that what is wrong inside the map has a place. */
export const ConfigFile = z.strictObject({
  model_source: ModelSourceSetting.nullish().describe('As in agent.yaml, which wins.'),
  gateway: GatewayBlock.nullish().describe('`on` or `off` as in agent.yaml, which wins; or a map.'),
  models: z.record(z.string(), ModelOverride).nullish().describe('Changes to the model catalog, by id or alias.'),
  providers: z
    .record(z.string(), ProviderEntry)
    .nullish()
    .describe('Keys that a `model`, `embedding_provider` or judge of this provider need not repeat.'),
  vectorstores: z.record(z.string(), VectorstoreEntry).nullish().describe('What `database` of a search tool may name.'),
  mcp_servers: z
    .array(McpBlock.extend({ type: z.literal('mcp').nullish() }))
    .max(50)
    .nullish()
    .describe('MCP servers that every agent gets, unless it has a tool of that name.'),
  execution: ExecutionBlock.nullish().describe('As in agent.yaml, which wins.'),
  observability: ObservabilityBlock.nullish().describe('As in agent.yaml, which wins.'),
  ...serverBlocks,
})
const ConfigFileWithGatewaySwitch = ConfigFile.extend({ gateway: GatewaySetting.nullish() })
export type ConfigFile = z.infer<typeof ConfigFile>

export interface ConfigRead {
  readonly config: ConfigFile
  /** The files that are there, nearest first. */
  readonly sources: readonly ConfigSource[]
  readonly problems: readonly ConfigProblem[]
  /** Every file looked at, there or not. */
  readonly files: readonly string[]
}

export interface ReadConfigOptions extends ReadSourceOptions {
  readonly agentFile: string
  readonly cwd: string
}

export async function readConfig(options: ReadConfigOptions): Promise<ConfigRead> {
  const { agentFile, cwd, homeDir } = options
  const folders = [dirname(agentFile), cwd, join(homeDir, '.quarterdeck')]
  const files = [...new Set(folders.map((folder) => join(folder, 'config.yaml')))]
  const problems: ConfigProblem[] = []
  const reads: string[] = []
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

/** The file's content as far as it is right; what is wrong is reported. */
export function parseConfig(source: ConfigSource): ConfigFile {
  // A file with comments only is a config that says nothing.
  if (source.value === undefined || source.value === null) return {}
  const value = refuseUnsupported(source, unsupportedConfigKeys)
  const shape = { source, value, otherKeys: unsupportedConfigKeys }
  const gateway = valueAt(value, ['gateway'])
  if (gateway === undefined || gateway === null || isMap(gateway))
    return parseShape({ schema: ConfigFile, ...shape }) ?? {}
  const { gateway: gatewaySwitch, ...rest } = parseShape({ schema: ConfigFileWithGatewaySwitch, ...shape }) ?? {}
  return {
    ...rest,
    gateway: gatewaySwitch == null ? gatewaySwitch : { enabled: gatewaySwitch === true || gatewaySwitch === 'on' },
  }
}

/** What is said to the server beside one agent reaches nobody. */
function warnOfServerKeys(source: ConfigSource): void {
  for (const key of serverKeys.filter((name) => valueAt(source.value, [name]) != null)) {
    const message = `"${key}" has no effect here: it belongs into the config.yaml of the folder the server starts in`
    source.report({ severity: 'warning', code: 'config.no-effect', path: [key], message })
  }
}

/** A variable of the server's settings that is not set is told where the server starts: an agent runs without it. */
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

/** `near` over `far`, where what is absent or null in `near` does not count as said. */
function over<T extends object>(far: T | undefined, near: T): T {
  const written = Object.fromEntries(Object.entries(near).filter(([, value]) => value !== undefined && value !== null))
  return Object.assign({}, far, written) as T // both are of the same shape, so their union is too
}
