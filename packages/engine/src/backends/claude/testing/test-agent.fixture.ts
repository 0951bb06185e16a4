import { join } from 'node:path'
import type { AgentDefinition, ClaudeSettings } from '@quarterdeck/protocol'

export interface AgentWishes {
  readonly claude?: Partial<ClaudeSettings>
  readonly agent?: Partial<AgentDefinition>
}

/** An agent with every tool, for tests. */
export function testAgent(workingDirectory: string, { claude, agent }: AgentWishes): AgentDefinition {
  const name = 'claude-sonnet-4-5-20250929'
  return {
    name: 'tester',
    description: null,
    file: join(workingDirectory, 'agent.yaml'),
    backend: 'claude',
    model: { provider: 'anthropic', name, id: name, authProvider: 'api_key', endpoint: null, maxTokens: null },
    modelSource: 'simulator',
    gateway: true,
    instructions: { type: 'text', text: 'You are a test.' },
    claude: {
      workingDirectory,
      permissionMode: 'acceptAll',
      thinking: null,
      webSearch: false,
      bash: { enabled: true, excludedCommands: [], allowUnsafe: false },
      fileSystem: { read: true, write: true, edit: true },
      subagents: { enabled: true, maxParallel: 4 },
      agents: {},
      allowedTools: null,
      disallowedTools: [],
      effort: null,
      fallbackModel: null,
      settingSources: [],
      ...claude,
    },
    limits: { maxTurns: 20, maxBudgetUsd: 5, maxDurationMs: 600_000 },
    approvals: { allow: [], deny: [], expiresAfterMs: null },
    workspace: { mode: 'shared' },
    onCrash: 'wait',
    starters: [],
    ...agent,
  }
}
