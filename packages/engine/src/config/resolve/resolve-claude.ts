import {
  type BackendName,
  type ClaudeSettings,
  findModel,
  resolveModelId,
  type SubagentDefinition,
} from '@quarterdeck/protocol'
import { canonicalToolName } from '../../permissions/tools/available-tools.ts'
import type { AgentContext } from '../agent-context.ts'
import { checkClaude } from '../check/check-claude.ts'
import { knownNames, reportUnknownModel } from '../check/check-model-name.ts'
import { isFolder } from '../check/check-named-files.ts'
import { claudeProviders, providerSettings } from '../check/choose-backend.ts'
import { entryOf } from '../problems/value-path.ts'
import type { ClaudeBlock, SubagentBlock } from '../schema/claude-block.ts'
import { resolvePath } from '../yaml/project-path.ts'
import { readPrompt, resolveProjectPath } from './resolve-instructions.ts'

export async function resolveClaude(
  context: AgentContext,
  { modelId, backend }: { readonly modelId: string; readonly backend: BackendName },
): Promise<ClaudeSettings> {
  const block = providerSettings(context.file)
  const agents: Record<string, SubagentDefinition> = {}
  for (const [name, agent] of Object.entries(block.agents ?? {})) {
    agents[name] = await resolveSubagent(context, name, agent)
  }
  const settings: ClaudeSettings = {
    workingDirectory: await resolveWorkingDirectory(context, block),
    permissionMode: block.permission_mode ?? 'manual',
    thinking: block.extended_thinking?.enabled
      ? { budgetTokens: block.extended_thinking.budget_tokens ?? 10_000 }
      : null,
    webSearch: block.web_search ?? false,
    bash: {
      enabled: block.bash?.enabled ?? false,
      excludedCommands: block.bash?.excluded_commands ?? [],
      allowUnsafe: block.bash?.allow_unsafe ?? false,
    },
    fileSystem: {
      read: block.file_system?.read ?? false,
      write: block.file_system?.write ?? false,
      edit: block.file_system?.edit ?? false,
    },
    subagents: {
      // Listing agents enables subagents; an explicit `enabled: false` still disables them.
      enabled: block.subagents?.enabled ?? Object.keys(agents).length > 0,
      maxParallel: block.subagents?.max_parallel ?? 4,
    },
    agents,
    allowedTools: block.allowed_tools?.map(canonicalToolName) ?? null,
    disallowedTools: block.disallowed_tools?.map(canonicalToolName) ?? [],
    effort: block.effort ?? null,
    fallbackModel: resolveFallback(context, block),
    settingSources: settingSources(context, block),
  }
  checkClaude(context, settings, { modelId, backend })
  return settings
}

async function resolveWorkingDirectory(context: AgentContext, block: ClaudeBlock): Promise<string> {
  const { source } = context
  const written = block.working_directory
  const own = await resolvePath('.', source.file)
  if (written == null) return own
  const path = ['claude', 'working_directory']
  const target = await resolveProjectPath(context, written, path)
  if (target === null) return own
  if (!(await isFolder(target))) {
    const message = '"claude.working_directory" is not a folder'
    source.report({ severity: 'error', code: 'config.unreadable', path, part: 'value', message })
  }
  return target
}

const familyTier: Readonly<Record<string, string>> = { opus: 'pro', sonnet: 'high', haiku: 'low' }

async function resolveSubagent(context: AgentContext, name: string, block: SubagentBlock): Promise<SubagentDefinition> {
  const { source, catalog } = context
  const path = ['claude', 'agents', name]
  if ((block.prompt == null) === (block.prompt_file == null)) {
    source.refuse(path, `subagent "${name}" must have either "prompt" or "prompt_file"`)
  }
  const file = block.prompt_file
  const prompt = file == null ? (block.prompt ?? '') : await readPrompt(context, file, [...path, 'prompt_file'])
  const wanted =
    block.model == null || block.model === 'inherit' ? null : (entryOf(familyTier, block.model) ?? block.model)
  if (wanted !== null && findModel(wanted, catalog) === undefined) {
    const known = [...Object.keys(familyTier), 'inherit', ...knownNames(catalog)]
    reportUnknownModel(context, { name: wanted, path: [...path, 'model'], known })
  }
  return {
    description: block.description,
    prompt,
    tools: block.tools?.map(canonicalToolName) ?? null,
    model: wanted === null ? null : resolveModelId(wanted, catalog),
  }
}

function resolveFallback(context: AgentContext, block: ClaudeBlock): string | null {
  const { file, catalog } = context
  const name = block.fallback_model
  if (name == null) return null
  if (!claudeProviders.includes(file.model.provider)) return name
  if (findModel(name, catalog) === undefined) {
    const path = ['claude', 'fallback_model']
    reportUnknownModel(context, { name, path, known: knownNames(catalog) })
  }
  return resolveModelId(name, catalog)
}

function settingSources({ source }: AgentContext, block: ClaudeBlock): ClaudeSettings['settingSources'] {
  const named = block.setting_sources ?? []
  if (!named.includes('all')) return [...new Set(named)].filter((name) => name !== 'all')
  if (named.length > 1) {
    const path = ['claude', 'setting_sources']
    source.refuse(path, '"claude.setting_sources": "all" must be the only entry')
  }
  return ['user', 'project', 'local']
}
