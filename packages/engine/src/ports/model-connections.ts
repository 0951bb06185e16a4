// The model side as the engine sees it. The server connects it. The decisions that it asks the engine for are
// `GatewayDecisions` in the protocol.
import type { AgentDefinition, SessionId } from '@quarterdeck/protocol'
import type { ModelAccess } from './model-access.ts'

export interface EmbeddingAccess {
  readonly wire: 'openai' | 'azure_openai'
  readonly baseUrl: string
  /** Never put it in an event, a log or an error. */
  readonly apiKey: string
  readonly apiVersion: string | null
}

/** Gives each session its access to a model, through a gateway or directly. */
export interface ModelConnections {
  /**
   * Opens the access for one session of this agent, valid until `closeSession`. Queued requests of different owners
   * alternate. Throws `config.missing-credential`.
   */
  openSession(sessionId: SessionId, agent: AgentDefinition, owner: string): Promise<ModelAccess>
  /** The access to an agent's embedding provider, unless it is the local one. Throws `config.missing-credential`. */
  embeddings(agent: AgentDefinition): Promise<EmbeddingAccess>
  /** Refuses the session's token from now on and cuts its running requests. Ignores unknown sessions. */
  closeSession(sessionId: SessionId): void
  /** Ends every request and closes the ports. */
  close(): Promise<void>
}
