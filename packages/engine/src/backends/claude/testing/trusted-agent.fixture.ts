import type { AgentDefinition, ClaudeSettings } from '@quarterdeck/protocol'
import { claudeSettings, testAgent } from '../../../testing/agent-definition.fixture.ts'

export interface AgentOverrides {
  readonly claude?: Partial<ClaudeSettings>
  readonly agent?: Partial<AgentDefinition>
}

/** An agent with every tool and no approvals. */
export function trustedAgent(workingDirectory: string, { claude, agent }: AgentOverrides): AgentDefinition {
  return testAgent(workingDirectory, {
    claude: claudeSettings(workingDirectory, { permissionMode: 'acceptAll', ...claude }),
    limits: { maxTurns: 20, maxBudgetUsd: 5, maxDurationMs: 600_000 },
    ...agent,
  })
}
