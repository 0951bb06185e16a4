// Agents by name, kept in sync with their files.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type AgentDefinition, type AgentSummary, modelCatalog, QuarterdeckError } from '@quarterdeck/protocol'
import { programFilesOf } from '../../isolation/agent-programs.ts'
import type { AgentRegistry } from '../../ports/agent-registry.ts'
import { isBelow } from '../../system/path-inside.ts'
import type { LoadOptions } from '../agent-context.ts'
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
import { findAgentFiles } from './find-agent-files.ts'
import { refuseDuplicates } from './refuse-duplicates.ts'

export interface AgentRegistryOptions extends LoadOptions {
  /** Folders to search, and files. */
  readonly paths: readonly string[]
}

export interface FileAgentRegistry extends AgentRegistry {
  /** All problems of all files, including warnings. */
  problems(): Promise<readonly ConfigProblem[]>
  /** One message for each agent whose `auto` setting chose the simulator. */
  announcements(): Promise<readonly string[]>
  /** Each file found, loaded. */
  loaded(): Promise<readonly LoadedAgent[]>
  /** How a session of this agent reaches its provider. Throws `config.missing-credential`. */
  access(agent: AgentDefinition): Promise<ProviderAccess>
  /** The embedding provider of the agent; not called for the local embedder. Throws `config.missing-credential`. */
  embeddingAccess(agent: AgentDefinition): Promise<EmbeddingKey>
  /** Values that must never be stored or printed, including values that files had earlier. */
  secrets(): readonly string[]
}

export function createAgentRegistry(options: AgentRegistryOptions): FileAgentRegistry {
  const loadedByFile = new Map<string, { loaded: LoadedAgent; stamp: string }>()
  /** The file of each name at the last full search. */
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
    // A file changed just before or during reading may change again within the clock grain: read it again next time.
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

  /** Called several times in every turn, so a known file that is still valid is not searched for again. */
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
    // Looked up by file, because the agent may have been renamed since.
    access: async (agent) => providerAccess(agent, (await loadFile(agent.file)).credentials),
    embeddingAccess: async (agent) => embeddingAccess(agent, (await loadFile(agent.file)).credentials),
    toolSecrets: async (name) => (await byName(name))?.passedValues.reveal().tools ?? {},
    hookSecrets: async (name) => (await byName(name))?.passedValues.reveal().hooks ?? [],
    collectorHeaders: async (name) => (await byName(name))?.passedValues.reveal().collector ?? {},
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
  names.length === 0 ? ' No agent file was found.' : ` Known agents: ${names.slice(0, 10).join(', ')}.`

/**
 * The files that decide what an agent may do, which no agent may change: the agent file and its folder, the files it is
 * made of (existing or not), and the programs it names.
 */
function lockedPathsOf({ file, dependencies, agent }: LoadedAgent): readonly string[] {
  const folder = dirname(file)
  const programs = agent === null ? [] : programFilesOf(agent)
  return [folder, file, ...dependencies, ...programs.map((program) => withItsFolder(program, folder))]
}

/** Modules import files beside them, so a folder inside the agent's own is locked as a whole. */
function withItsFolder(program: string, agentFolder: string): string {
  const folder = dirname(program)
  return isBelow({ path: folder, folder: agentFolder }) ? folder : program
}

export const clockGrainMs = 100
const unsettled = ''

/**
 * A stamp that changes when a file changes, appears or disappears, and the time of the last change. Called several
 * times in every turn: stats synchronously, because handing each file to another thread takes ten times as long.
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
    // The parent folder is unreadable or a file: treat it as missing.
    return undefined
  }
}
