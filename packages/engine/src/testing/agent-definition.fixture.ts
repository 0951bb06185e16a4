// An agent as the engine sees it, with every tool and an approval for every call. Tests change what they are about.
import { join } from 'node:path'
import type { AgentDefinition, ClaudeSettings } from '@quarterdeck/protocol'

export function testAgent(directory: string, change: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    name: 'tester',
    description: null,
    file: join(directory, 'agent.yaml'),
    backend: 'claude',
    model: {
      provider: 'simulator',
      name: 'high',
      id: 'claude-sonnet-4-5-20250929',
      authProvider: 'api_key',
      endpoint: null,
      apiVersion: null,
      maxTokens: null,
      temperature: null,
      topP: null,
    },
    modelSource: 'simulator',
    gateway: true,
    instructions: { type: 'text', text: 'Be brief.' },
    claude: claudeSettings(directory),
    tools: [],
    embedding: null,
    toolFiltering: null,
    responseFormat: null,
    hooks: [],
    observability: null,
    limits: { maxTurns: 50, maxBudgetUsd: 5, maxDurationMs: 3_600_000 },
    turnTimeoutMs: null,
    maxConcurrentSessions: null,
    unitsPerDay: null,
    approvals: { allow: [], deny: [], expiresAfterMs: null },
    workspace: { mode: 'shared' },
    onCrash: 'wait',
    starters: [],
    ...change,
  }
}

export function claudeSettings(workingDirectory: string, change: Partial<ClaudeSettings> = {}): ClaudeSettings {
  return {
    workingDirectory,
    permissionMode: 'manual',
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
    ...change,
  }
}

/** Every field that switches a tool on, all off. */
export const noTools = {
  webSearch: false,
  bash: { enabled: false, excludedCommands: [], allowUnsafe: false },
  fileSystem: { read: false, write: false, edit: false },
  subagents: { enabled: false, maxParallel: 4 },
} satisfies Partial<ClaudeSettings>

/** The answers of a registry whose agents have no secrets. */
export const noSecrets = {
  toolSecrets: async () => ({}),
  hookSecrets: async () => [],
  collectorHeaders: async () => ({}),
  lockedPaths: () => [],
}
