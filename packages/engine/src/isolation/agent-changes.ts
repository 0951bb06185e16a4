// Without a sandbox an agent could edit its own file and give itself programs. A change that adds programs or permissions
// waits for a person; until then sessions use the accepted version. In a sandbox the agent files that exist when the
// server starts are read-only, but an agent could create a new one in a folder that it can write to, and edit it later: such
// a file and each of its changes wait for a person as well.
import { createHash } from 'node:crypto'
import {
  type AgentChange,
  type AgentDefinition,
  type CatalogModel,
  type DecideAgentChangeBody,
  QuarterdeckError,
} from '@quarterdeck/protocol'
import type { AuditDraft } from '../audit/audit-entry.ts'
import type { AgentRegistry, ToolSecrets } from '../ports/agent-registry.ts'
import type { Logger } from '../ports/logger.ts'
import { isBelow } from '../system/path-inside.ts'
import { addedGrants } from './added-grants.ts'
import { realPath } from './real-path.ts'
import type { Isolation } from './sandbox-command.ts'

export interface AgentChangesOptions {
  readonly agents: AgentRegistry
  readonly isolation: () => Promise<Isolation>
  /** False for commands: they are short and use the files as they are. */
  readonly isServing: boolean
  readonly audit: (draft: AuditDraft) => Promise<unknown>
  readonly clock: { now(): Date }
  readonly logger: Logger
}

export interface AgentChanges {
  /** The accepted versions. Loading a new agent that waits for a person throws `agent.unconfirmed`. */
  readonly agents: AgentRegistry
  /** Changes that wait for a person, oldest first. */
  list(): Promise<readonly AgentChange[]>
  /** Throws `agent.change-not-found` if this version is not waiting. */
  decide(agentName: string, decision: DecideAgentChangeBody, by: string): Promise<void>
}

/** One version of an agent file, with the values that belong to it. */
interface Version {
  readonly agent: AgentDefinition
  readonly tools: Readonly<Record<string, ToolSecrets>>
  readonly hooks: readonly Readonly<Record<string, string>>[]
  readonly collector: Readonly<Record<string, string>>
  readonly catalog: readonly CatalogModel[]
}

export function createAgentChanges(options: AgentChangesOptions): AgentChanges {
  const { agents, isolation, audit, clock, logger } = options
  const accepted = new Map<string, Version>()
  const rejected = new Set<string>()
  /** When each version was first seen. */
  const firstSeenAt = new Map<string, string>()
  /** Agent files that no agent can write: they existed at the start, or no agent could write to their folder. */
  const operatorFiles = new Set<string>()
  /** Every folder that an agent could write to since then. */
  const writableFolders = new Set<string>()
  /** The file of each agent when it was last loaded. */
  const files = new Map<string, string>()
  const guards = begin()
  // A failure rejects every later call that awaits `guards`.
  guards.catch(() => undefined)

  async function begin(): Promise<'nothing' | 'new files' | 'every file'> {
    if (!options.isServing) return 'nothing'
    for (const { name, file, problems } of await agents.list()) {
      operatorFiles.add(realPath(file))
      if (problems.length === 0) accept(name, await versionOf(name))
    }
    return (await isolation()).why === null ? 'new files' : 'every file'
  }

  function accept(name: string, version: Version): void {
    accepted.set(name, version)
    addWritableFolders(version.agent)
  }

  function addWritableFolders({ claude, workspace }: AgentDefinition): void {
    for (const folder of [claude.workingDirectory, ...(workspace.writable ?? [])]) writableFolders.add(folder)
  }

  /** Whether an agent could have written this file. */
  async function isGuarded(file: string): Promise<boolean> {
    const guarded = await guards
    if (guarded !== 'new files') return guarded === 'every file'
    const path = realPath(file)
    return !operatorFiles.has(path) && [...writableFolders].some((folder) => isBelow({ path, folder }))
  }

  async function versionOf(name: string): Promise<Version> {
    const [agent, tools, hooks, collector, catalog] = await Promise.all([
      agents.load(name),
      agents.toolSecrets(name),
      agents.hookSecrets(name),
      agents.collectorHeaders(name),
      agents.catalog(name),
    ])
    return { agent, tools, hooks, collector, catalog }
  }

  /** The version that sessions use (`null` if none is accepted), the waiting change, and the version on disk. */
  async function compare(name: string): Promise<{ used: Version | null; change: AgentChange | null; newest: Version }> {
    const newest = await versionOf(name)
    const before = accepted.get(name) ?? null
    const version = hashOf(newest.agent)
    // A file with the name of an accepted agent is a new file: it gets nothing of what that agent was granted.
    const known = before?.agent.file === newest.agent.file ? before.agent : null
    const grants = addedGrants(known, newest.agent)
    const isChange = (await guards) === 'new files' ? known === null || hashOf(known) !== version : grants.length > 0
    if (!(await isGuarded(newest.agent.file)) || (known !== null && !isChange)) {
      accept(name, newest)
      return { used: newest, change: null, newest }
    }
    const added = grants.length > 0 ? grants : [known === null ? 'no programs or permissions' : 'other settings']
    const at = firstSeenAt.get(version) ?? clock.now().toISOString()
    if (!firstSeenAt.has(version))
      logger.warn({ agent: name, added }, 'an agent file was changed: accept or reject the change in the inbox')
    firstSeenAt.set(version, at)
    const change = { agentName: name, version, at, added, isNew: known === null }
    return { used: before, change, newest }
  }

  async function used(name: string): Promise<Version> {
    const { used: version, change } = await compare(name)
    if (version !== null) return version
    const added = change?.added.join(', ')
    const detail = `agent "${name}" was added while the server was running, and an agent may have written its file. It adds: ${added}. Accept it in the inbox, or restart the server.`
    throw new QuarterdeckError('agent.unconfirmed', detail, { facts: { agent: name } })
  }

  async function load(name: string): Promise<AgentDefinition> {
    const agent = await agents.load(name)
    files.set(name, agent.file)
    if (await isGuarded(agent.file)) return (await used(name)).agent
    operatorFiles.add(realPath(agent.file))
    addWritableFolders(agent)
    return agent
  }

  async function acceptedValue<Key extends keyof Version>(name: string, key: Key): Promise<Version[Key] | null> {
    const file = files.get(name) ?? (await agents.load(name).catch(() => null))?.file
    if (file === undefined || !(await isGuarded(file))) return null
    // A version that cannot be read gives nothing: its values must not reach the accepted version.
    const version = await compare(name).then(
      (compared) => compared.used,
      () => accepted.get(name) ?? null,
    )
    return version === null ? null : version[key]
  }

  return {
    agents: {
      ...agents,
      load,
      toolSecrets: async (name) => (await acceptedValue(name, 'tools')) ?? agents.toolSecrets(name),
      hookSecrets: async (name) => (await acceptedValue(name, 'hooks')) ?? agents.hookSecrets(name),
      collectorHeaders: async (name) => (await acceptedValue(name, 'collector')) ?? agents.collectorHeaders(name),
      catalog: async (name) => (await acceptedValue(name, 'catalog')) ?? agents.catalog(name),
    },

    async list() {
      if ((await guards) === 'nothing') return []
      const found: AgentChange[] = []
      for (const { name, file, problems } of await agents.list()) {
        // The list of agents shows the problems of a broken file.
        if (problems.length > 0 || !(await isGuarded(file))) continue
        const { change } = await compare(name)
        if (change !== null && !rejected.has(change.version)) found.push(change)
      }
      return found.sort((one, other) => one.at.localeCompare(other.at))
    },

    async decide(agentName, { version, decision }, by) {
      const { change, newest } = await compare(agentName)
      if (change === null || change.version !== version || rejected.has(version)) {
        const detail = `change ${version} of agent "${agentName}" is not waiting: it was decided, or the file has changed again. Reload the inbox.`
        throw new QuarterdeckError('agent.change-not-found', detail)
      }
      await audit({
        principal: by,
        sessionId: null,
        subject: agentName,
        action: decision === 'accept' ? 'agent.change-accepted' : 'agent.change-rejected',
        detail: { version, added: [...change.added] },
      })
      if (decision === 'accept') accept(agentName, newest)
      else rejected.add(version)
    },
  }
}

const hashOf = (agent: AgentDefinition): string =>
  createHash('sha256').update(JSON.stringify(agent)).digest('hex').slice(0, 16)
