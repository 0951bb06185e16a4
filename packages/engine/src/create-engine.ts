// The only place where ports meet adapters.

import type { GatewayDecisions, ModelGateway } from './model-gateway.ts'
import type { AgentShelf, SessionService } from './sessions/session-service.ts'
import type { Logger } from './telemetry/logger.ts'

export interface EngineOptions {
  /** Absolute. The database, agent workspaces and the backend's own files live below it. */
  readonly dataDir: string
  readonly agents: AgentShelf
  /** Called once: gives the model side what it asks and reports to. */
  readonly connectModels: (decisions: GatewayDecisions) => ModelGateway
  readonly role: 'server' | 'command'
  /** Where a server answers, for the message to whoever is refused. */
  readonly address: string | null
  /** False where nobody can be asked: a call that needs a person is then denied with a sentence. */
  readonly canAsk: boolean
  readonly logger: Logger
}

export interface Engine {
  readonly sessions: SessionService
  readonly agents: AgentShelf
  /** No new turns; running ones get the grace period, then are interrupted. Nothing is lost. */
  drain(graceMs: number): Promise<void>
  /** Ends every process it started and closes the store. */
  close(): Promise<void>
}

/** Takes the data folder, ends what an earlier crash left behind, recovers open sessions, and is then ready. */
export declare function createEngine(options: EngineOptions): Promise<Engine>
