// The operations of the table for one principal: the session service, the keys, and those of the server itself.
import type { AgentRegistry, Engine } from '@quarterdeck/engine'
import { type Implementations, type ModelSummary, mayDo, type operations, type Principal } from '@quarterdeck/protocol'
import type { ServedCompatListener } from '../compat-listeners/compat-listener-plan.ts'
import { refuseWhileDraining } from '../middleware/refuse-while-draining.ts'
import type { AskedModels } from '../models/served-models.ts'

export interface OperationsDeps {
  readonly operationsOf: Engine['operationsOf']
  readonly agents: AgentRegistry
  readonly agentChanges: Engine['agentChanges']
  readonly models: (asked: AskedModels) => Promise<readonly ModelSummary[]>
  readonly version: string
  readonly dataDir: string
  /** The open compatibility listeners. */
  readonly compatListeners: () => readonly ServedCompatListener[]
  readonly isDraining: () => boolean
  /** Throws while the store cannot be written. */
  readonly requireReady: () => Promise<void>
}

export function createOperations(deps: OperationsDeps) {
  const { agents, agentChanges, version } = deps
  return (principal: Principal): Implementations<typeof operations> => {
    const own = deps.operationsOf(principal)
    const isManager = mayDo(principal.scope, 'manage')
    return {
      ...own,
      inbox: async () => ({
        ...(await own.inbox()),
        ...(isManager && { agentChanges: [...(await agentChanges.list())] }),
      }),
      async decideAgentChange(name, body, by) {
        await agentChanges.decide(name, body, by)
        return body
      },
      listAgents: async () => ({ agents: [...(await agents.list())] }),
      listModels: async ({ agent }) => ({ models: [...(await deps.models({ agent, sessions: own }))] }),
      health: async () => ({ status: 'healthy', service: 'quarterdeck', version }),
      async ready() {
        refuseWhileDraining(deps.isDraining)
        await deps.requireReady()
        return { status: 'ready' }
      },
      serverInfo: async () => ({
        version,
        usesSimulator: (await agents.list()).some(({ modelSource }) => modelSource === 'simulator'),
        principal: principal.name,
        dataFolder: isManager ? deps.dataDir : null,
        compatListeners: [...deps.compatListeners()],
      }),
    }
  }
}
