// The backend of each agent, by the name in its file. A backend is imported for the first agent that needs it: the SDK,
// the loop and its provider clients take longer to load than everything else together.
import type { AgentDefinition, BackendName } from '@quarterdeck/protocol'
import type { AgentBackend } from './backends/backend.ts'
import { type BackendPool, createBackendPool } from './backends/backend-pool.ts'
import type { EngineOptions } from './engine-options.ts'
import { programsOf } from './isolation/guard-unsandboxed.ts'
import type { Isolation } from './isolation/sandbox-command.ts'
import { availableTools } from './permissions/tools/available-tools.ts'
import type { AgentRegistry } from './ports/agent-registry.ts'
import type { Clock } from './ports/clock.ts'
import { questionTool } from './ports/question-tool.ts'
import type { Retrieval } from './retrieval/create-retrieval.ts'

interface BackendDeps {
  readonly agents: AgentRegistry
  readonly clock: Clock
  readonly isolation: () => Promise<Isolation>
  readonly embedderOf: Retrieval['embedderOf']
}

type CreateBackend = (agent: AgentDefinition) => AgentBackend | Promise<AgentBackend>

export const importClaude = () => import('./backends/claude/create-claude-backend.ts')

export function createBackends(options: EngineOptions, deps: BackendDeps): BackendPool {
  const { dataDir, logger, canAsk, shellPath: path, secretFiles = [] } = options
  const { agents, clock, isolation } = deps
  const common = (agent: AgentDefinition) => {
    return { agent, dataDir, clock, logger, catalog: () => agents.catalog(agent.name) }
  }
  const makers: Readonly<Record<BackendName, CreateBackend>> = {
    claude: async (agent) => {
      const { createClaudeBackend } = await importClaude()
      return createClaudeBackend({
        ...common(agent),
        isolation: await isolation(),
        // Without a person to ask, the question tool is not offered.
        tools: availableTools(agent.claude, agent.tools).filter((name) => canAsk || name !== questionTool),
        path,
        secretFiles,
        lockedPaths: agents.lockedPaths,
      })
    },
    loop: async (agent) => {
      const { createLoopBackend } = await import('./backends/loop/create-loop-backend.ts')
      return createLoopBackend({
        ...common(agent),
        canAsk: canAsk && availableTools(agent.claude, agent.tools).includes(questionTool),
        unsandboxedReason: programsOf(agent).length === 0 ? null : (await isolation()).why,
        embed: (texts, signal) => deps.embedderOf(agent).embed(texts, signal),
      })
    },
  }
  return createBackendPool({ create: options.createBackend ?? ((agent) => makers[agent.backend](agent)), logger })
}
