// Applies config.yaml to an agent: missing provider keys, named vectorstores, shared MCP servers, test execution and
// observability. Merging only adds values.
import { isRecord } from '@quarterdeck/protocol'
import { isError } from '../problems/problem.ts'
import { entryOf, formatPath, isWithin, type Path, valueAt } from '../problems/value-path.ts'
import type { ConfigSource } from '../yaml/config-source.ts'
import { type Insertion, missingInsertions, overlay } from './overlay.ts'

/** `configs`: nearest first. Invalid parts are reported in their own file and ignored here. */
export function applyConfig(agent: ConfigSource, configs: readonly ConfigSource[]): ConfigSource {
  return configs.reduce(applyOne, agent)
}

function applyOne(agent: ConfigSource, config: ConfigSource): ConfigSource {
  const insertions = [
    ...providerInsertions(agent, config, ['model']),
    ...providerInsertions(agent, config, ['embedding_provider']),
    ...providerInsertions(agent, config, ['evaluations', 'model']),
    ...databaseInsertions(agent, config),
    ...serverInsertions(agent, config),
    ...blockInsertions(agent, config, 'execution'),
    ...blockInsertions(agent, config, 'observability'),
  ]
  return overlay(
    agent,
    insertions.filter((insertion) => !isWrong(config, insertion.at)),
  )
}

const isWrong = ({ problems }: ConfigSource, at: Path): boolean =>
  problems.some((problem) => isError(problem) && isWithin(problem.path, formatPath(at)))

/** The entry with the name of the provider, else the first entry of that provider. */
function providerInsertions(agent: ConfigSource, config: ConfigSource, path: Path): readonly Insertion[] {
  const block = valueAt(agent.value, path)
  const providers = valueAt(config.value, ['providers'])
  if (!isRecord(block) || typeof block.provider !== 'string' || !isRecord(providers)) return []
  const { provider } = block
  const named = entryOf(providers, provider) === undefined ? undefined : provider
  const name = named ?? Object.keys(providers).find((key) => valueAt(providers, [key, 'provider']) === provider)
  if (name === undefined) return []
  return missingValues(block, config, { path, at: ['providers', name] })
}

/** A key without a value counts as absent. */
function missingValues(
  near: Record<string, unknown>,
  config: ConfigSource,
  target: Pick<Insertion, 'path' | 'at'>,
): readonly Insertion[] {
  const written = Object.fromEntries(Object.entries(near).filter(([, value]) => value !== null))
  return missingInsertions(written, config, target).filter(({ at }) => valueAt(config.value, at) !== null)
}

function databaseInsertions(agent: ConfigSource, config: ConfigSource): readonly Insertion[] {
  const stores = valueAt(config.value, ['vectorstores'])
  return toolsOf(agent).flatMap((tool, index) => {
    const name = valueAt(tool, ['database'])
    if (typeof name !== 'string' || !isRecord(stores) || !isRecord(entryOf(stores, name))) return []
    return [{ path: ['tools', index, 'database'], source: config, at: ['vectorstores', name] }]
  })
}

function serverInsertions(agent: ConfigSource, config: ConfigSource): readonly Insertion[] {
  const servers = valueAt(config.value, ['mcp_servers'])
  const tools = valueAt(agent.value, ['tools'])
  if (!Array.isArray(servers) || !isRecord(agent.value) || (tools != null && !Array.isArray(tools))) return []
  const taken = new Set(toolsOf(agent).map((tool) => valueAt(tool, ['name'])))
  const added = servers.flatMap((server: unknown, index) =>
    isRecord(server) && !taken.has(server.name)
      ? [{ at: ['mcp_servers', index], value: { type: 'mcp', ...server } }]
      : [],
  )
  if (added.length === 0) return []
  const start = toolsOf(agent).length
  const list: readonly Insertion[] = tools == null ? [{ path: ['tools'], source: agent, at: ['tools'], value: [] }] : []
  return [
    ...list,
    ...added.map((insertion, index) => ({ ...insertion, path: ['tools', start + index], source: config })),
  ]
}

/** Inserts the keys that the agent's block lacks. */
function blockInsertions(agent: ConfigSource, config: ConfigSource, key: string): readonly Insertion[] {
  const own = valueAt(agent.value, [key])
  const theirs = valueAt(config.value, [key])
  if (!isRecord(agent.value) || !isRecord(theirs)) return []
  if (own == null) return [{ path: [key], source: config, at: [key] }]
  return isRecord(own) ? missingValues(own, config, { path: [key], at: [key] }) : []
}

const toolsOf = ({ value }: ConfigSource): readonly unknown[] => {
  const tools = valueAt(value, ['tools'])
  return Array.isArray(tools) ? tools : []
}
