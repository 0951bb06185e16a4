import { type AgentDefinition, modelCatalog } from '@quarterdeck/protocol'
import { createScriptedBackend } from '../backends/scripted/create-scripted-backend.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { AgentRegistry } from '../ports/agent-registry.ts'
import { silentLogger } from '../ports/logger.ts'
import type { ModelConnections } from '../ports/model-connections.ts'
import { noSecrets } from './agent-definition.fixture.ts'

/** A gateway without a model behind it. */
export const noModels: ModelConnections = {
  openSession: async () => ({ type: 'environment', variables: {} }),
  embeddings: async () => ({ wire: 'openai', baseUrl: 'http://127.0.0.1:9', apiKey: 'made-up', apiVersion: null }),
  closeSession: () => undefined,
  close: async () => undefined,
}

export const registryOf = (load: () => Promise<AgentDefinition>): AgentRegistry => ({
  list: async () => [],
  load,
  catalog: async () => modelCatalog,
  ...noSecrets,
})

/** A server with one agent, a scripted backend and no model. Tests change what they are about. */
export const testEngineOptions = (dataDir: string, load: () => Promise<AgentDefinition>): EngineOptions => ({
  dataDir,
  role: 'server',
  address: null,
  canAsk: true,
  shellPath: '/usr/bin',
  logger: silentLogger,
  allowUnsandboxed: true,
  agents: registryOf(load),
  createBackend: () => createScriptedBackend({ script: [] }),
  processes: { spares: false },
  connectModels: () => noModels,
  secrets: () => [],
})
