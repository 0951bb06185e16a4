// config.yaml: what holds for every agent of a project or a person. Nearer files win, and merging never erases what the
// nearer one does not mention.
import { dirname, join } from 'node:path'
import { ModelTier } from '@quarterdeck/protocol'
import { z } from 'zod'
import { GatewaySetting, ModelSourceSetting } from './agent-file.ts'
import { type ConfigSource, type ReadSourceOptions, readSource } from './config-source.ts'
import { parseShape } from './parse-shape.ts'
import type { ConfigProblem } from './problem.ts'
import { refuseUnsupported, unsupportedConfigKeys } from './unsupported.ts'
import { entryOf } from './value-path.ts'

const dollars = z.number().nonnegative()

/** Dollars per million tokens; all four, because a guessed price is a wrong bill. */
const PriceBlock = z.strictObject({ input: dollars, output: dollars, cache_read: dollars, cache_write: dollars })

export const ModelOverride = z.strictObject({
  price: PriceBlock.nullish().describe('Dollars per million tokens.'),
  tier: ModelTier.nullish().describe('Which tier it belongs to; `high` for a model the catalog does not know.'),
})
export type ModelOverride = z.infer<typeof ModelOverride>

export const ConfigFile = z.strictObject({
  model_source: ModelSourceSetting.nullish().describe('As in agent.yaml, which wins.'),
  gateway: GatewaySetting.nullish().describe('As in agent.yaml, which wins.'),
  models: z.record(z.string(), ModelOverride).nullish().describe('Changes to the model catalog, by id or alias.'),
})
export type ConfigFile = z.infer<typeof ConfigFile>

export interface ConfigRead {
  readonly config: ConfigFile
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
  const places = [dirname(agentFile), cwd, join(homeDir, '.quarterdeck')]
  const files = [...new Set(places.map((folder) => join(folder, 'config.yaml')))]
  const problems: ConfigProblem[] = []
  const reads: string[] = []
  let config: ConfigFile = {}
  for (const file of files) {
    const source = await readSource(file, options)
    if (source === null) continue
    config = mergeUnder(config, parseConfig(source))
    problems.push(...source.problems)
    reads.push(...source.reads)
  }
  return { config, problems, files: [...files, ...reads] }
}

function parseConfig(source: ConfigSource): ConfigFile {
  // A file with comments only is a config that says nothing.
  if (source.value === undefined || source.value === null) return {}
  const value = refuseUnsupported(source, unsupportedConfigKeys)
  return parseShape({ schema: ConfigFile, source, value, otherKeys: unsupportedConfigKeys }) ?? {}
}

function mergeUnder(near: ConfigFile, far: ConfigFile): ConfigFile {
  const models: Record<string, ModelOverride> = { ...far.models }
  for (const [id, override] of Object.entries(near.models ?? {})) models[id] = over(entryOf(models, id), override)
  return { ...over(far, near), models }
}

/** `near` over `far`, where what is absent or null in `near` does not count as said. */
function over<T extends object>(far: T | undefined, near: T): T {
  const said = Object.fromEntries(Object.entries(near).filter(([, value]) => value !== undefined && value !== null))
  return Object.assign({}, far, said) as T // both are of the same shape, so their union is too
}
