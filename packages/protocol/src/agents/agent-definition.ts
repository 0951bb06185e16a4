// An agent as the engine runs it: the file read, merged, substituted and checked. The schema of the file itself is
// `AgentFile` in the engine's config folder.
import { z } from 'zod'
import { PermissionMode, PermissionRule } from '../access/tool-permissions.ts'
import { JsonObject } from '../values/json.ts'
import { AgentHook } from './agent-hook.ts'
import { AgentTool, EmbeddingSettings, ToolFiltering } from './agent-tool.ts'

export const AgentName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/)
export type AgentName = z.infer<typeof AgentName>

export const BackendName = z.enum(['claude', 'loop'])
export type BackendName = z.infer<typeof BackendName>

export const ModelProvider = z.enum(['anthropic', 'openai', 'azure_openai', 'ollama', 'simulator'])
export type ModelProvider = z.infer<typeof ModelProvider>

export const ModelSource = z.enum(['provider', 'simulator'])
export type ModelSource = z.infer<typeof ModelSource>

export const AuthProvider = z.enum(['api_key', 'oauth_token', 'bedrock', 'vertex', 'foundry', 'custom'])
export type AuthProvider = z.infer<typeof AuthProvider>

export const Instructions = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('preset'), preset: z.literal('claude_code'), append: z.string() }),
])
export type Instructions = z.infer<typeof Instructions>

export const SubagentDefinition = z.object({
  description: z.string(),
  prompt: z.string(),
  tools: z.array(z.string()).nullable(),
  model: z.string().nullable(),
})
export type SubagentDefinition = z.infer<typeof SubagentDefinition>

export const ClaudeSettings = z.object({
  /** Absolute. The scope of the agent's files and shell, or the folder that is copied (see `workspace`). */
  workingDirectory: z.string(),
  permissionMode: PermissionMode,
  thinking: z.object({ budgetTokens: z.int() }).nullable(),
  webSearch: z.boolean(),
  bash: z.object({ enabled: z.boolean(), excludedCommands: z.array(z.string()), allowUnsafe: z.boolean() }),
  fileSystem: z.object({ read: z.boolean(), write: z.boolean(), edit: z.boolean() }),
  subagents: z.object({ enabled: z.boolean(), maxParallel: z.int() }),
  agents: z.record(z.string(), SubagentDefinition),
  allowedTools: z.array(z.string()).nullable(),
  disallowedTools: z.array(z.string()),
  effort: z.enum(['low', 'medium', 'high', 'max']).nullable(),
  fallbackModel: z.string().nullable(),
  settingSources: z.array(z.enum(['user', 'project', 'local'])),
})
export type ClaudeSettings = z.infer<typeof ClaudeSettings>

export const Limits = z.object({
  maxTurns: z.int().positive(),
  maxBudgetUsd: z.number().positive(),
  maxDurationMs: z.int().positive(),
})
export type Limits = z.infer<typeof Limits>

export const ApprovalPolicy = z.object({
  allow: z.array(PermissionRule),
  deny: z.array(PermissionRule),
  /** `null`: a request waits until a person decides. */
  expiresAfterMs: z.int().positive().nullable(),
})
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>

/** Where the traces of its turns are sent, as OpenTelemetry. */
export const TraceSettings = z.object({
  serviceName: z.string(),
  resource: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** The share of turns that is traced. */
  sampleRate: z.number().min(0).max(1),
  capturesContent: z.boolean(),
  queue: z.object({ maxSpans: z.int().positive(), maxBatch: z.int().positive(), delayMs: z.int().positive() }),
  /** Also written to the process log. */
  console: z.boolean(),
  otlp: z
    .object({
      /** The whole URL, with `/v1/traces`. */
      endpoint: z.string(),
      /** Names only; the values are stored elsewhere. */
      headers: z.array(z.string()),
      timeoutMs: z.int().positive(),
      compression: z.enum(['gzip', 'none']),
    })
    .nullable(),
})
export type TraceSettings = z.infer<typeof TraceSettings>

export const AgentDefinition = z.object({
  name: AgentName,
  description: z.string().nullable(),
  /** Absolute path of the YAML file. */
  file: z.string(),
  backend: BackendName,
  model: z.object({
    provider: ModelProvider,
    /** As written: an id or a tier. */
    name: z.string(),
    /** The full id passed to the backend; never empty, never an alias. */
    id: z.string(),
    authProvider: AuthProvider,
    endpoint: z.string().nullable(),
    /** Only for Azure. */
    apiVersion: z.string().nullable(),
    maxTokens: z.int().nullable(),
    /** Only on the in-process loop, like `topP`; `null` for the provider's default. */
    temperature: z.number().nullable(),
    topP: z.number().nullable(),
  }),
  modelSource: ModelSource,
  gateway: z.boolean(),
  instructions: Instructions,
  /** Permissions. On the in-process loop all tools of the CLI are off; everything else applies as on the CLI. */
  claude: ClaudeSettings,
  tools: z.array(AgentTool).max(50),
  /** `null` without a search tool. */
  embedding: EmbeddingSettings.nullable(),
  toolFiltering: ToolFiltering.nullable(),
  /** JSON Schema of every final answer. */
  responseFormat: JsonObject.nullable(),
  hooks: z.array(AgentHook),
  /** `null`: no traces. */
  observability: TraceSettings.nullable(),
  limits: Limits,
  /** How long one turn may work; `null` for the limit of the session. */
  turnTimeoutMs: z.int().positive().nullable(),
  /** How many of its sessions may work at once; `null` for the limit of the server. */
  maxConcurrentSessions: z.int().positive().nullable(),
  /** Units (tokens times the tier's multiplier) that all its sessions may use in a UTC day; `null` for no limit. */
  unitsPerDay: z.int().positive().nullable(),
  approvals: ApprovalPolicy,
  workspace: z.object({
    mode: z.enum(['shared', 'copy']),
    /** Absolute folders that its processes may write to, besides the working directory. */
    writable: z.array(z.string()).optional(),
  }),
  onCrash: z.enum(['wait', 'continue']),
  /** Prompts that the first page offers for this agent. */
  starters: z.array(z.string()),
})
export type AgentDefinition = z.infer<typeof AgentDefinition>
