// A file that has the right shape becomes the agent the engine runs. Everything that can be wrong beyond its shape is
// found here, all of it at once.
import type { AgentDefinition, CatalogModel } from '@quarterdeck/protocol'
import type { ToolSecrets } from '../../sessions/session-service.ts'
import type { AgentTests } from '../agent-tests.ts'
import { checkBlocks, resolveToolFiltering } from '../check/check-blocks.ts'
import { checkExpectedTools } from '../check/check-expected-tools.ts'
import { checkMatchers } from '../check/check-matchers.ts'
import { checkTests } from '../check/check-tests.ts'
import { chooseBackend } from '../check/choose-backend.ts'
import { providerSettings } from '../check/provider-settings.ts'
import type { CredentialSource } from '../credentials/credentials.ts'
import { createSecret, type Secret } from '../credentials/secret.ts'
import { isError } from '../problems/problem.ts'
import type { AgentFile, ModelSourceSetting } from '../schema/agent-file.ts'
import type { ConfigFile } from '../schema/config-file.ts'
import type { ConfigSource } from '../yaml/config-source.ts'
import type { Environment } from '../yaml/environment.ts'
import { resolveClaude } from './resolve-claude.ts'
import { resolveEmbedding } from './resolve-embedding.ts'
import { resolveHooks } from './resolve-hooks.ts'
import { resolveInstructions } from './resolve-instructions.ts'
import { resolveApprovals, resolveLimits } from './resolve-limits.ts'
import { resolveModel } from './resolve-model.ts'
import { resolveObservability } from './resolve-observability.ts'
import { resolveResponseFormat } from './resolve-response-format.ts'
import { resolveTests } from './resolve-tests.ts'
import { resolveTools } from './resolve-tools.ts'
import { resolveWritable } from './resolve-writable.ts'
import { toMs } from './resolved-tool.ts'

export interface LoadOptions {
  /** The shell's variables. */
  readonly env: Environment
  readonly homeDir: string
  readonly cwd: string
  /** What the person said on the command line; wins over everything. */
  readonly modelSource?: ModelSourceSetting | undefined
  /** As `modelSource`: instead of `execution.llm_timeout`. */
  readonly turnTimeoutMs?: number | undefined
  /** `note` makes a missing credential a warning: the file is right, this machine is not set up. */
  readonly credentials?: 'require' | 'note' | undefined
  /** Also looks for what only a session or a test opens: documents, programs, files of test cases. */
  readonly checksFiles?: boolean | undefined
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
  /** Values of what its tools, its hooks and its collector are given. */
  readonly given: Secret<GivenValues>
  /** Null when the source has errors. */
  readonly tests: AgentTests | null
}

export interface GivenValues {
  readonly tools: Readonly<Record<string, ToolSecrets>>
  readonly hooks: readonly Readonly<Record<string, string>>[]
  /** Headers for whoever collects its traces. */
  readonly collector: Readonly<Record<string, string>>
}

export async function resolveAgent(context: AgentContext): Promise<ResolvedAgent> {
  const { file, source } = context
  const backend = chooseBackend(context)
  checkBlocks(context, backend)
  const toolFiltering = resolveToolFiltering(context, backend)
  const { embedding, needs } = resolveEmbedding(context, toolFiltering)
  const { requested, announcement, credentials, ...answering } = resolveModel(context, backend, needs)
  const instructions = await resolveInstructions(context)
  const claude = await resolveClaude(context, { modelId: answering.model.id, backend })
  const tools = await resolveTools(context)
  const hooks = await resolveHooks(context, backend)
  const observability = resolveObservability(context)
  checkMatchers(context, { backend, claude, tools: tools.tools })
  const settings = providerSettings(file)
  const definition: AgentDefinition = {
    name: file.name,
    description: file.description ?? null,
    file: source.file,
    backend,
    ...answering,
    instructions,
    claude,
    tools: [...tools.tools],
    embedding,
    toolFiltering,
    responseFormat: await resolveResponseFormat(context),
    hooks: [...hooks.hooks],
    observability: observability.settings,
    limits: resolveLimits(context),
    turnTimeoutMs: context.options.turnTimeoutMs ?? turnTimeout(file),
    maxConcurrentSessions: settings.max_concurrent_sessions ?? null,
    unitsPerDay: file.limits?.units_per_day ?? null,
    approvals: resolveApprovals(context, backend),
    workspace: { mode: file.workspace?.mode ?? 'shared', writable: await resolveWritable(context) },
    onCrash: file.on_crash ?? 'wait',
    starters: file.starters ?? [],
  }
  const tests = await resolveTests(context)
  await checkTests(context, tests)
  checkExpectedTools(context, tests, { backend, claude, tools: tools.tools })
  const isBroken = source.problems.some(isError)
  return {
    agent: isBroken ? null : definition,
    tests: isBroken ? null : tests,
    requested,
    announcement,
    credentials: {
      ...credentials,
      declared: createSecret([...tools.declared, ...hooks.declared, ...observability.declared]),
    },
    given: createSecret({ tools: tools.secrets, hooks: hooks.secrets, collector: observability.headers }),
  }
}

const turnTimeout = ({ execution }: AgentFile): number | null =>
  execution?.llm_timeout == null ? null : toMs(execution.llm_timeout)
