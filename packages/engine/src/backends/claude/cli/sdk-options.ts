// SDK options from the agent file and the session's settings. Deliberately absent: `allowedTools` (it approves calls
// without asking) and `bypassPermissions` (it skips the gate). The model is always set, because the default is the most
// expensive one.
import type { Options, AgentDefinition as SdkAgent } from '@anthropic-ai/claude-agent-sdk'
import type { AgentDefinition, PermissionMode, SubagentDefinition } from '@quarterdeck/protocol'
import { isListed } from '../../../tool-names/host-tool-names.ts'
import type { SessionOptions } from '../../backend.ts'
import { toolNameOf } from '../translate/translate-assistant.ts'
import { cliSettings } from './claude-folders.ts'

export type SdkChoices = Required<
  Pick<Options, 'model' | 'cwd' | 'tools' | 'permissionMode' | 'maxTurns' | 'maxBudgetUsd' | 'thinking' | 'settings'>
> &
  Options

export function sdkOptions(
  agent: AgentDefinition,
  tools: readonly string[],
  session: Pick<
    SessionOptions,
    'model' | 'cwd' | 'limits' | 'permissionMode' | 'resume' | 'thinking' | 'subagentModel' | 'sessionTools'
  > &
    Partial<Pick<SessionOptions, 'hostTools'>>,
): SdkChoices {
  const { claude } = agent
  const hostTools = session.hostTools?.list().map(({ name }) => name) ?? []
  const usual = session.subagentModel
  return {
    model: session.model,
    cwd: session.cwd,
    tools: [...tools],
    permissionMode: sdkPermissionMode(session.permissionMode),
    maxTurns: session.limits.maxTurns,
    maxBudgetUsd: session.limits.maxBudgetUsd,
    systemPrompt: systemPromptOf(agent, session.sessionTools.instructions),
    settingSources: [...claude.settingSources],
    settings: cliSettings,
    strictMcpConfig: true,
    includePartialMessages: true,
    forwardSubagentText: true,
    persistSession: true,
    enableFileCheckpointing: true,
    thinking:
      session.thinking === null
        ? { type: 'disabled' }
        : { type: 'enabled', budgetTokens: session.thinking.budgetTokens, display: 'summarized' },
    agents: Object.fromEntries(
      Object.entries(claude.agents).map(([name, definition]) => [
        name,
        sdkAgent(definition, usual, (list) => toolsOfList(agent, list, [...tools, ...hostTools])),
      ]),
    ),
    ...(agent.responseFormat !== null && { outputFormat: { type: 'json_schema', schema: agent.responseFormat } }),
    ...(claude.effort !== null && { effort: claude.effort }),
    ...(claude.fallbackModel !== null && { fallbackModel: claude.fallbackModel }),
    ...(session.resume !== null && { resume: session.resume }),
  }
}

function systemPromptOf({ instructions }: AgentDefinition, more: string | null): NonNullable<Options['systemPrompt']> {
  const and = (own: string) => (more === null ? own : `${own}\n\n${more}`)
  if (instructions.type === 'text') return and(instructions.text)
  return { type: 'preset', preset: instructions.preset, append: and(instructions.append) }
}

/** Permission modes are the engine's: its hook decides each call. Only plan mode changes the prompt of the model. */
export const sdkPermissionMode = (mode: PermissionMode): 'plan' | 'default' => (mode === 'plan' ? 'plan' : 'default')

function sdkAgent(
  { description, prompt, tools, model }: SubagentDefinition,
  defaultModel: string | null,
  availableOf: (list: readonly string[]) => string[],
): SdkAgent {
  return {
    description,
    prompt,
    model: model ?? defaultModel ?? 'inherit',
    ...(tools !== null && { tools: availableOf(tools) }),
  }
}

/**
 * A subagent gets at most the tools of its lead. The CLI knows the tools of the agent file only by their full names.
 */
function toolsOfList({ tools }: AgentDefinition, list: readonly string[], available: readonly string[]): string[] {
  const own = list.filter((name) => !name.startsWith('mcp__') && available.includes(toolNameOf(name)))
  return [...own, ...available.filter((name) => name.startsWith('mcp__') && isListed(tools, list, name))]
}
