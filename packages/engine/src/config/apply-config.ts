// What config.yaml gives an agent: missing keys of its providers, its named vectorstores, MCP servers for everybody, how
// tests run, and who is told of its turns. Merging adds and never takes away.
import type { ConfigSource } from './config-source.ts'
import { missingParts, overlay, type Part } from './overlay.ts'
import { isError } from './problem.ts'
import { entryOf, formatPath, isMap, isWithin, type Path, valueAt } from './value-path.ts'

/** `configs`: nearest first. What is wrong in one of them is told there and not used. */
export function applyConfig(agent: ConfigSource, configs: readonly ConfigSource[]): ConfigSource {
  return configs.reduce(applyOne, agent)
}

function applyOne(agent: ConfigSource, config: ConfigSource): ConfigSource {
  const parts = [
    ...providerParts(agent, config, ['model']),
    ...providerParts(agent, config, ['embedding_provider']),
    ...providerParts(agent, config, ['evaluations', 'model']),
    ...databaseParts(agent, config),
    ...serverParts(agent, config),
    ...blockParts(agent, config, 'execution'),
    ...blockParts(agent, config, 'observability'),
  ]
  return overlay(
    agent,
    parts.filter((part) => !isWrong(config, part.at)),
  )
}

const isWrong = ({ problems }: ConfigSource, at: Path): boolean =>
  problems.some((problem) => isError(problem) && isWithin(problem.path, formatPath(at)))

/** The entry that is called like the provider, else the one that is of it. */
function providerParts(agent: ConfigSource, config: ConfigSource, path: Path): readonly Part[] {
  const block = valueAt(agent.value, path)
  const providers = valueAt(config.value, ['providers'])
  if (!isMap(block) || typeof block.provider !== 'string' || !isMap(providers)) return []
  const { provider } = block
  const named = entryOf(providers, provider) === undefined ? undefined : provider
  const name = named ?? Object.keys(providers).find((key) => valueAt(providers, [key, 'provider']) === provider)
  if (name === undefined) return []
  return missingParts(said(block), config, { path, at: ['providers', name] }).filter((part) => isSaid(config, part))
}

/** A key without a value counts as not written. */
const said = (map: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => value !== null))

const isSaid = (config: ConfigSource, { at }: Part): boolean => valueAt(config.value, at) !== null

function databaseParts(agent: ConfigSource, config: ConfigSource): readonly Part[] {
  const stores = valueAt(config.value, ['vectorstores'])
  return toolsOf(agent).flatMap((tool, index) => {
    const name = valueAt(tool, ['database'])
    if (typeof name !== 'string' || !isMap(stores) || !isMap(entryOf(stores, name))) return []
    return [{ path: ['tools', index, 'database'], source: config, at: ['vectorstores', name] }]
  })
}

function serverParts(agent: ConfigSource, config: ConfigSource): readonly Part[] {
  const servers = valueAt(config.value, ['mcp_servers'])
  const tools = valueAt(agent.value, ['tools'])
  if (!Array.isArray(servers) || !isMap(agent.value) || (tools != null && !Array.isArray(tools))) return []
  const taken = new Set(toolsOf(agent).map((tool) => valueAt(tool, ['name'])))
  const added = servers.flatMap((server: unknown, index) =>
    isMap(server) && !taken.has(server.name) ? [{ at: ['mcp_servers', index], value: { type: 'mcp', ...server } }] : [],
  )
  if (added.length === 0) return []
  const start = toolsOf(agent).length
  const list: readonly Part[] = tools == null ? [{ path: ['tools'], source: agent, at: ['tools'], value: [] }] : []
  return [...list, ...added.map((part, index) => ({ ...part, path: ['tools', start + index], source: config }))]
}

/** A block of the same shape in both: what the agent's file does not say. */
function blockParts(agent: ConfigSource, config: ConfigSource, key: string): readonly Part[] {
  const own = valueAt(agent.value, [key])
  const theirs = valueAt(config.value, [key])
  if (!isMap(agent.value) || !isMap(theirs)) return []
  if (own == null) return [{ path: [key], source: config, at: [key] }]
  const place = { path: [key], at: [key] }
  return isMap(own) ? missingParts(said(own), config, place).filter((part) => isSaid(config, part)) : []
}

const toolsOf = ({ value }: ConfigSource): readonly unknown[] => {
  const tools = valueAt(value, ['tools'])
  return Array.isArray(tools) ? tools : []
}
