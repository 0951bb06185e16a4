import type { AgentDefinition, AgentSummary, CatalogModel } from '@quarterdeck/protocol'

/** The agents that can be started by name. Implemented in config/. */
export interface AgentRegistry {
  /** Lists every agent file found. Broken ones carry their problems. */
  list(): Promise<readonly AgentSummary[]>
  /** Reads the file again when it has changed. Throws `agent.not-found` or `config.*`. */
  load(name: string): Promise<AgentDefinition>
  /** The model catalog with the prices of this agent's config files; the default catalog if the agent is gone. */
  catalog(name: string): Promise<readonly CatalogModel[]>
  /** The secrets of each tool of this agent, by the tool's own name. Never put them in an event, a log or an error. */
  toolSecrets(name: string): Promise<Readonly<Record<string, ToolSecrets>>>
  /** The environment variables of each hook script of this agent, in the order of its hooks. */
  hookSecrets(name: string): Promise<readonly Readonly<Record<string, string>>[]>
  /** The headers for the collector of this agent's traces. */
  collectorHeaders(name: string): Promise<Readonly<Record<string, string>>>
  /** Files and folders that decide what the agents loaded so far may do. They may not exist. */
  lockedPaths(): readonly string[]
}

/** Secret values of a tool. Never in an event, a log or an error. */
export interface ToolSecrets {
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}
