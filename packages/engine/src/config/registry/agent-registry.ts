// The agents that can be started by name, kept in step with the files they are made of.
import { statSync } from 'node:fs'
import { type AgentDefinition, type AgentSummary, modelCatalog, QuarterdeckError } from '@quarterdeck/protocol'
import type { AgentRegistry } from '../../sessions/session-service.ts'
import {
  declaredSecrets,
  type EmbeddingKey,
  embeddingAccess,
  type ProviderAccess,
  providerAccess,
} from '../credentials/credentials.ts'
import { type LoadedAgent, loadAgent, requireAgent } from '../load-agent.ts'
import { nearestName } from '../problems/nearest-name.ts'
import { type ConfigProblem, formatProblem, isError } from '../problems/problem.ts'
import type { LoadOptions } from '../resolve/resolve-agent.ts'
import { findAgentFiles } from './find-agent-files.ts'
import { lockedPathsOf } from './locked-paths.ts'
import { refuseDuplicates } from './refuse-duplicates.ts'

export interface AgentRegistryOptions extends LoadOptions {
  /** Folders to search and files to take as they are. */
  readonly paths: readonly string[]
}

export interface FileAgentRegistry extends AgentRegistry {
  /** Everything wrong with every file, warnings included. */
  problems(): Promise<readonly ConfigProblem[]>
  /** What to tell people: one sentence for each agent whose `auto` chose the simulator. */
  announcements(): Promise<readonly string[]>
  /** Everything known about each file found. */
  loaded(): Promise<readonly LoadedAgent[]>
  /** How a session of this agent reaches its provider. Throws `config.missing-credential`. */
  access(agent: AgentDefinition): Promise<ProviderAccess>
  /** Who makes its vectors; never asked for the local embedder. Throws `config.missing-credential`. */
  embeddingAccess(agent: AgentDefinition): Promise<EmbeddingKey>
  /** Values that must never be written anywhere: of every file read so far, those it held before included. */
  secrets(): readonly string[]
}

export function createAgentRegistry(options: AgentRegistryOptions): FileAgentRegistry {
  const loadedByFile = new Map<string, { loaded: LoadedAgent; stamp: string }>()
  /** Who had which name when all were looked for last. */
  let found: ReadonlyMap<string, string> = new Map()
  let secrets: readonly string[] = []

  async function loadFile(file: string): Promise<LoadedAgent> {
    const known = loadedByFile.get(file)
    if (known !== undefined && known.stamp === stampOf(known.loaded.dependencies).stamp) return known.loaded
    const started = Date.now()
    const loaded = await loadAgent(file, options)
    const more = declaredSecrets(loaded.credentials).filter((secret) => !secrets.includes(secret))
    if (more.length > 0) secrets = [...secrets, ...more]
    const { stamp, changedAt } = stampOf(loaded.dependencies)
    // What changed just before or while it was read may change again within the clock's grain: it is read once more.
    loadedByFile.set(file, { loaded, stamp: changedAt > started - clockGrainMs ? unsettled : stamp })
    return loaded
  }

  async function loaded(): Promise<readonly LoadedAgent[]> {
    const { files, missing } = await findAgentFiles(options.paths, options.cwd)
    for (const file of loadedByFile.keys()) if (!files.includes(file)) loadedByFile.delete(file)
    const agents: LoadedAgent[] = []
    for (const file of [...files, ...missing]) agents.push(await loadFile(file))
    const withoutDuplicates = refuseDuplicates(agents, found)
    found = new Map(withoutDuplicates.flatMap(({ name, file, agent }) => (agent === null ? [] : [[name, file]])))
    return withoutDuplicates
  }

  /** Asked several times in every turn, so what is already known and still good is not searched for again. */
  async function byName(name: string): Promise<LoadedAgent | undefined> {
    const file = found.get(name)
    const now = file === undefined ? undefined : await loadFile(file)
    if (now?.name === name && now.agent !== null) return now
    return (await loaded()).find((agent) => agent.name === name)
  }

  async function load(name: string): Promise<AgentDefinition> {
    const agent = await byName(name)
    if (agent === undefined) throw notFound(name, await loaded())
    return requireAgent(agent, options.cwd)
  }

  return {
    load,
    loaded,
    list: async () => (await loaded()).map((agent) => summaryOf(agent, options.cwd)),
    problems: async () => (await loaded()).flatMap((agent) => agent.problems),
    announcements: async () =>
      (await loaded()).flatMap(({ name, announcement }) =>
        announcement === null ? [] : [`agent "${name}": ${announcement}`],
      ),
    // By file: the credentials belong to where the definition came from, whatever it is called by now.
    access: async (agent) => providerAccess(agent, (await loadFile(agent.file)).credentials),
    embeddingAccess: async (agent) => embeddingAccess(agent, (await loadFile(agent.file)).credentials),
    toolSecrets: async (name) => (await byName(name))?.given.reveal().tools ?? {},
    hookSecrets: async (name) => (await byName(name))?.given.reveal().hooks ?? [],
    collectorHeaders: async (name) => (await byName(name))?.given.reveal().collector ?? {},
    catalog: async (name) => (await byName(name))?.catalog ?? modelCatalog,
    secrets: () => secrets,
    lockedPaths: () => [...loadedByFile.values()].flatMap(({ loaded: one }) => lockedPathsOf(one)),
  }
}

function summaryOf({ agent, name, file, problems }: LoadedAgent, cwd: string): AgentSummary {
  return {
    name,
    description: agent?.description ?? null,
    file,
    model: agent?.model.id ?? null,
    modelSource: agent?.modelSource ?? null,
    permissionMode: agent?.claude.permissionMode ?? null,
    starters: agent?.starters ?? [],
    problems: problems.filter(isError).map((problem) => formatProblem(problem, cwd)),
  }
}

function notFound(name: string, agents: readonly LoadedAgent[]): QuarterdeckError {
  const names = agents.map((agent) => agent.name)
  const near = nearestName(name, names)
  const hint = near === undefined ? known(names) : ` Did you mean "${near}"?`
  return new QuarterdeckError('agent.not-found', `there is no agent "${name}".${hint}`, { facts: { agent: name } })
}

const known = (names: readonly string[]): string =>
  names.length === 0 ? ' No agent file was found.' : ` There is ${names.slice(0, 10).join(', ')}.`

export const clockGrainMs = 100
const unsettled = ''

/**
 * Changes whenever one of the files does, appears or goes; and when the last of them did. Asked several times in every
 * turn: the few files are looked at in place, since handing each to another thread takes ten times as long.
 */
function stampOf(files: readonly string[]): { stamp: string; changedAt: number } {
  const stats = files.map(statOf)
  const stamps = stats.map((one) => (one === undefined ? '-' : `${one.mtimeNs}:${one.ctimeNs}:${one.size}:${one.ino}`))
  return { stamp: stamps.join(' '), changedAt: Math.max(0, ...stats.map((one) => Number(one?.ctimeMs ?? 0n))) }
}

function statOf(file: string) {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    // Its folder may not be looked into, or is a file: as good as not there.
    return undefined
  }
}
