// The complete environment of the CLI: an explicit list that never inherits the server's environment.
import type { AgentDefinition } from '@quarterdeck/protocol'
import { markerVariable } from '../../../isolation/process-tree.ts'
import type { ModelAccess } from '../../../ports/model-access.ts'
import { BackendInitError } from '../../backend-errors.ts'
import type { ClaudeFolders } from './claude-folders.ts'

/** How often and how long the CLI retries a failing provider. Tests use lower values. */
export interface RequestRetryPolicy {
  readonly maxRetries: number
  readonly timeoutMs: number
}

/** Long, because a request may wait in the gateway for its rate limit. The gateway detects a silent provider. */
export const defaultRequestRetryPolicy: RequestRetryPolicy = { maxRetries: 6, timeoutMs: 3_600_000 }

export interface CliEnvironment {
  readonly agent: AgentDefinition
  readonly folders: ClaudeFolders
  /** The scratch folder of this process. */
  readonly scratch: string
  readonly modelAccess: ModelAccess
  readonly subagentModel: string | null
  /** The search path of the agent's shell. */
  readonly path: string
  readonly marker: string
  readonly retryPolicy: RequestRetryPolicy
}

export function cliEnvironment(options: CliEnvironment): Record<string, string> {
  const { agent, folders, scratch, modelAccess, subagentModel, path, marker, retryPolicy } = options
  const { subagents } = agent.claude
  return {
    PATH: path,
    HOME: folders.home,
    TMPDIR: scratch,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CLAUDE_CONFIG_DIR: folders.config,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // A background subagent would start turns by itself.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1',
    CLAUDE_CODE_MAX_RETRIES: String(retryPolicy.maxRetries),
    API_TIMEOUT_MS: String(retryPolicy.timeoutMs),
    CLAUDE_AGENT_SDK_CLIENT_APP: 'quarterdeck',
    ...(subagents.enabled && { CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS: String(subagents.maxParallel) }),
    // For the CLI's built-in subagents. Those of the agent file have their own model (measured).
    ...(subagentModel !== null && { CLAUDE_CODE_SUBAGENT_MODEL: subagentModel }),
    ...(agent.model.maxTokens !== null && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(agent.model.maxTokens) }),
    [markerVariable]: marker,
    ...accessVariables(modelAccess),
  }
}

function accessVariables(access: ModelAccess): Readonly<Record<string, string>> {
  if (access.type === 'environment') return access.variables
  if (access.type === 'in-process') throw new BackendInitError('the claude backend cannot use in-process model access')
  return { ANTHROPIC_BASE_URL: access.baseUrl, ANTHROPIC_API_KEY: access.token }
}
