// The in-process agent loop behind the port: the official clients of the providers, and a conversation of our own.
import type { AgentDefinition, CatalogModel } from '@quarterdeck/protocol'
import type { Logger } from '../../telemetry/logger.ts'
import type { AgentBackend } from '../backend.ts'
import { BackendInitError } from '../backend-errors.ts'

export interface LoopBackendOptions {
  readonly agent: AgentDefinition
  /** Absolute. Conversations are kept below it. */
  readonly dataDir: string
  /** What models cost; asked for each session. */
  readonly catalog: () => Promise<readonly CatalogModel[]>
  readonly clock: { now(): Date }
  readonly logger: Logger
}

export function createLoopBackend({ agent }: LoopBackendOptions): AgentBackend {
  throw new BackendInitError(`agent "${agent.name}": the loop is being built`)
}
