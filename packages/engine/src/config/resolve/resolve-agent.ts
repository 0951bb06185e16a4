// Turns a file of the right shape into an agent definition. All problems beyond the shape are reported here at once.
import type { AgentDefinition } from '@quarterdeck/protocol'
import type { ToolSecrets } from '../../ports/agent-registry.ts'
import type { AgentContext } from '../agent-context.ts'
import type { AgentTests } from '../agent-tests.ts'
import { checkBlocks } from '../check/check-blocks.ts'
import { checkExpectedTools } from '../check/check-expected-tools.ts'
import { checkMatchers } from '../check/check-matchers.ts'
import { checkTests } from '../check/check-tests.ts'
import { chooseBackend, providerSettings } from '../check/choose-backend.ts'
import type { CredentialSource } from '../credentials/credentials.ts'
import { createSecret, type Secret } from '../credentials/secret.ts'
import { isError } from '../problems/problem.ts'
import type { AgentFile, ModelSourceSetting } from '../schema/agent-file.ts'
import { resolveClaude } from './resolve-claude.ts'
import { resolveEmbedding } from './resolve-embedding.ts'
import { resolveHooks } from './resolve-hooks.ts'
import { resolveInstructions } from './resolve-instructions.ts'
import { resolveApprovals, resolveLimits } from './resolve-limits.ts'
import { resolveModel } from './resolve-model.ts'
import { resolveObservability } from './resolve-observability.ts'
import { resolveResponseFormat } from './resolve-response-format.ts'
import { resolveTests } from './resolve-tests.ts'
import { resolveToolFiltering, resolveTools } from './resolve-tools.ts'
import { resolveWritable } from './resolve-writable.ts'
import { toMs } from './resolved-tool.ts'

export interface ResolvedAgent {
  /** Null when the source has errors. */
  readonly agent: AgentDefinition | null
  readonly requested: ModelSourceSetting
  readonly announcement: string | null
  readonly credentials: CredentialSource
  /** Values passed to tools, hooks and the trace collector. */
  readonly passedValues: Secret<PassedValues>
  /** Null when the source has errors. */
  readonly tests: AgentTests | null
}

export interface PassedValues {
  readonly tools: Readonly<Record<string, ToolSecrets>>
  readonly hooks: readonly Readonly<Record<string, string>>[]
  /** Headers of the trace collector. */
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
    passedValues: createSecret({ tools: tools.secrets, hooks: hooks.secrets, collector: observability.headers }),
  }
}

const turnTimeout = ({ execution }: AgentFile): number | null =>
  execution?.llm_timeout == null ? null : toMs(execution.llm_timeout)
