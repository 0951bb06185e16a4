// A file that has the right shape becomes the agent the engine runs. Everything that can be wrong beyond its shape is
// found here, all of it at once.
import type { AgentDefinition, CatalogModel } from '@quarterdeck/protocol'
import type { AgentFile, ModelSourceSetting } from './agent-file.ts'
import type { ConfigFile } from './config-file.ts'
import type { ConfigSource } from './config-source.ts'
import type { CredentialSource } from './credentials.ts'
import type { Environment } from './environment.ts'
import { isError } from './problem.ts'
import { resolveClaude } from './resolve-claude.ts'
import { resolveInstructions } from './resolve-instructions.ts'
import { resolveApprovals, resolveLimits } from './resolve-limits.ts'
import { resolveModel } from './resolve-model.ts'

export interface LoadOptions {
  /** The shell's variables. */
  readonly env: Environment
  readonly homeDir: string
  readonly cwd: string
  /** What the person said on the command line; wins over everything. */
  readonly modelSource?: ModelSourceSetting | undefined
  /** `note` makes a missing credential a warning: the file is right, this machine is not set up. */
  readonly credentials?: 'require' | 'note' | undefined
}

export interface AgentContext {
  readonly file: AgentFile
  readonly source: ConfigSource
  /** The shell over the `.env` files. */
  readonly env: Environment
  readonly config: ConfigFile
  readonly catalog: readonly CatalogModel[]
  readonly options: LoadOptions
  /** Notes another file this agent is made of. */
  readonly dependsOn: (file: string) => void
}

export interface ResolvedAgent {
  /** Null when the source has errors. */
  readonly agent: AgentDefinition | null
  readonly requested: ModelSourceSetting
  readonly announcement: string | null
  readonly credentials: CredentialSource
}

export async function resolveAgent(context: AgentContext): Promise<ResolvedAgent> {
  const { file, source } = context
  if (file.tool_filtering !== undefined) {
    const message = '"tool_filtering" has no effect: the Claude backend chooses among tools by itself'
    source.report({ severity: 'warning', code: 'config.no-effect', path: ['tool_filtering'], message })
  }
  const { requested, announcement, credentials, ...answering } = resolveModel(context)
  const instructions = await resolveInstructions(context)
  const claude = await resolveClaude(context, answering.model.id)
  const definition: AgentDefinition = {
    name: file.name,
    description: file.description ?? null,
    file: source.file,
    backend: file.backend ?? 'claude',
    ...answering,
    instructions,
    claude,
    tools: [],
    embedding: null,
    toolFiltering: null,
    responseFormat: null,
    hooks: [],
    limits: resolveLimits(context),
    turnTimeoutMs: null,
    maxConcurrentSessions: null,
    approvals: resolveApprovals(context),
    workspace: { mode: file.workspace?.mode ?? 'shared' },
    onCrash: file.on_crash ?? 'wait',
    starters: file.starters ?? [],
  }
  const agent = source.problems.some(isError) ? null : definition
  return { agent, requested, announcement, credentials }
}
