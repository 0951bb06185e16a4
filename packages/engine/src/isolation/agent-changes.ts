// Without a sandbox an agent could edit its own file and give itself programs. A change that adds programs or permissions
// waits for a person; until then sessions use the accepted version. In a sandbox agent files are read-only, but an agent
// could create a new one in its workspace: such an agent waits for a person as well. The files that exist when the server
// starts count as accepted.
import { createHash } from 'node:crypto'
import {
  type AgentChange,
  type AgentDefinition,
  allowsMore,
  type CatalogModel,
  type DecideAgentChangeBody,
  formatRule,
  QuarterdeckError,
} from '@quarterdeck/protocol'
import type { AuditDraft } from '../audit/audit-entry.ts'
import type { AgentShelf, ToolSecrets } from '../sessions/session-service.ts'
import type { Logger } from '../telemetry/logger.ts'
import { programsOf } from './guard-unsandboxed.ts'
import type { Isolation } from './hide-files.ts'
import { isInside, realPath } from './mount-plan.ts'

export interface AgentChangesOptions {
  readonly agents: AgentShelf
  readonly isolation: () => Promise<Isolation>
  /** False for commands: they are short and use the files as they are. */
  readonly isServing: boolean
  readonly audit: (draft: AuditDraft) => Promise<unknown>
  readonly clock: { now(): Date }
  readonly logger: Logger
}

export interface AgentChanges {
  /** The accepted versions. Loading a new agent that waits for a person throws `agent.unconfirmed`. */
  readonly agents: AgentShelf
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
  const noticed = new Map<string, string>()
  const guards = begin()
  // A failure rejects every later call that awaits `guards`.
  guards.catch(() => undefined)

  async function begin(): Promise<'nothing' | 'new agents' | 'changes'> {
    if (!options.isServing) return 'nothing'
    for (const { name, problems } of await agents.list()) {
      if (problems.length === 0) accepted.set(name, await versionOf(name))
    }
    return (await isolation()).why === null ? 'new agents' : 'changes'
  }

  const isGuarded = async (name: string): Promise<boolean> => {
    const guarded = await guards
    return guarded === 'changes' || (guarded === 'new agents' && !accepted.has(name))
  }

  /** Whether an accepted agent could have created this file. */
  function isInWorkspace(file: string): boolean {
    const path = realPath(file)
    return [...accepted.values()].some(({ agent: { claude, workspace } }) =>
      [claude.workingDirectory, ...(workspace.writable ?? [])].some((folder) => isInside(realPath(folder), path)),
    )
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
    const added = addedGrants(before?.agent ?? null, newest.agent)
    const isOperators = (await guards) === 'new agents' && (before !== null || !isInWorkspace(newest.agent.file))
    if (added.length === 0 || isOperators) {
      accepted.set(name, newest)
      return { used: newest, change: null, newest }
    }
    const version = createHash('sha256').update(JSON.stringify(newest.agent)).digest('hex').slice(0, 16)
    const at = noticed.get(version) ?? clock.now().toISOString()
    if (!noticed.has(version))
      logger.warn({ agent: name, added }, 'an agent file was changed: accept or reject the change in the inbox')
    noticed.set(version, at)
    const change = { agentName: name, version, at, added, isNew: before === null }
    return { used: before, change, newest }
  }

  async function used(name: string): Promise<Version> {
    const { used: version, change } = await compare(name)
    if (version !== null) return version
    const added = change?.added.join(', ')
    const detail = `agent "${name}" was added while the server was running, in a folder that an agent can write to. It has ${added}. Accept it in the inbox, or restart the server.`
    throw new QuarterdeckError('agent.unconfirmed', detail, { facts: { agent: name } })
  }

  const part = async <Key extends keyof Version>(name: string, key: Key): Promise<Version[Key] | null> =>
    (await isGuarded(name)) ? ((await compare(name).catch(() => null))?.used?.[key] ?? null) : null

  return {
    agents: {
      ...agents,
      load: async (name) => ((await isGuarded(name)) ? (await used(name)).agent : agents.load(name)),
      toolSecrets: async (name) => (await part(name, 'tools')) ?? agents.toolSecrets(name),
      hookSecrets: async (name) => (await part(name, 'hooks')) ?? agents.hookSecrets(name),
      collectorHeaders: async (name) => (await part(name, 'collector')) ?? agents.collectorHeaders(name),
      catalog: async (name) => (await part(name, 'catalog')) ?? agents.catalog(name),
    },

    async list() {
      if ((await guards) === 'nothing') return []
      const found: AgentChange[] = []
      for (const { name, problems } of await agents.list()) {
        // The list of agents shows the problems of a broken file.
        if (problems.length > 0 || !(await isGuarded(name))) continue
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
      if (decision === 'accept') accepted.set(agentName, newest)
      else rejected.add(version)
    },
  }
}

/** The programs and permissions that an agent gets only after a person accepted them. */
function addedGrants(before: AgentDefinition | null, newest: AgentDefinition): readonly string[] {
  const known = new Set(before === null ? [] : grantsOf(before))
  const kept = new Set(newest.approvals.deny.map(formatRule))
  const dropped = (before?.approvals.deny ?? []).map(formatRule).filter((rule) => !kept.has(rule))
  const mode = newest.claude.permissionMode
  return [
    ...grantsOf(newest).filter((grant) => !known.has(grant)),
    ...dropped.map((rule) => `a removed deny rule: ${rule}`),
    ...(allowsMore(mode, before?.claude.permissionMode ?? 'manual') ? [`the permission mode ${mode}`] : []),
  ]
}

function grantsOf(agent: AgentDefinition): readonly string[] {
  return [
    ...programsOf(agent),
    ...agent.approvals.allow.map((rule) => `the allow rule ${formatRule(rule)}`),
    ...(agent.workspace.writable ?? []).map((folder) => `the writable folder ${folder}`),
  ]
}
