import { join } from 'node:path'

/**
 * An agent of the in-process loop without tools.
 * @param {string} folder
 * @returns {import('@quarterdeck/protocol').AgentDefinition}
 */
export const benchAgent = (folder) => ({
  name: 'bench',
  description: null,
  file: join(folder, 'agent.yaml'),
  backend: 'loop',
  model: {
    provider: 'anthropic',
    name: 'high',
    id: 'claude-sonnet-4-6',
    authProvider: 'api_key',
    endpoint: null,
    apiVersion: null,
    maxTokens: null,
    temperature: null,
    topP: null,
  },
  modelSource: 'provider',
  gateway: true,
  instructions: { type: 'text', text: 'Be brief.' },
  claude: {
    workingDirectory: folder,
    permissionMode: 'manual',
    thinking: null,
    webSearch: false,
    agents: {},
    bash: { enabled: false, excludedCommands: [], allowUnsafe: false },
    fileSystem: { read: false, write: false, edit: false },
    subagents: { enabled: false, maxParallel: 1 },
    allowedTools: null,
    disallowedTools: [],
    effort: null,
    fallbackModel: null,
    settingSources: [],
  },
  tools: [],
  embedding: null,
  toolFiltering: null,
  responseFormat: null,
  hooks: [],
  observability: null,
  limits: { maxTurns: 1000, maxBudgetUsd: 1000, maxDurationMs: 3_600_000 },
  unitsPerDay: null,
  turnTimeoutMs: null,
  maxConcurrentSessions: null,
  approvals: { allow: [], deny: [], expiresAfterMs: null },
  workspace: { mode: 'shared' },
  onCrash: 'wait',
  starters: [],
})
