// Warnings about a `claude:` block that loads: settings that cancel each other, restrictions with gaps, and settings
// that are less safe than they look.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BackendName, ClaudeSettings } from '@quarterdeck/protocol'
import { availableTools } from '../../permissions/tools/available-tools.ts'
import { questionTool } from '../../ports/question-tool.ts'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import type { AgentContext } from '../agent-context.ts'
import { nearestName } from '../problems/nearest-name.ts'
import type { ProblemDraft } from '../problems/problem-list.ts'
import { entryOf } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { providerSettings } from './choose-backend.ts'
import { isDeclared } from './declared-tool.ts'

type Finding = Omit<ProblemDraft, 'severity'>

export function checkClaude(
  context: AgentContext,
  settings: ClaudeSettings,
  { modelId, backend }: { readonly modelId: string; readonly backend: BackendName },
): void {
  const isLoop = backend === 'loop'
  const findings = [
    ...permissionFindings(context, settings),
    ...shellFindings(settings),
    ...idleFindings(context, settings),
    ...thinkingFindings(settings, modelId),
    ...(isLoop ? [] : toolFindings(context, settings)),
    ...(isLoop ? [] : folderFindings(settings)),
  ]
  for (const finding of findings) context.source.report({ severity: 'warning', ...finding })
}

function permissionFindings({ file }: AgentContext, { permissionMode }: ClaudeSettings): readonly Finding[] {
  if (permissionMode !== 'acceptAll' || providerSettings(file).i_understand_this_is_unsafe === true) return []
  const message =
    'UNSAFE: acceptAll lets the agent use all of its tools without approval;' +
    ' set i_understand_this_is_unsafe: true to confirm'
  return [{ code: 'config.unsafe', path: ['claude', 'permission_mode'], message }]
}

function shellFindings({ bash }: ClaudeSettings): readonly Finding[] {
  if (bash.excludedCommands.length === 0) return []
  const path = ['claude', 'bash', 'excluded_commands']
  if (!bash.enabled) {
    return [{ code: 'config.no-effect', path, message: 'excluded_commands has no effect while bash is not enabled' }]
  }
  const message =
    'excluded_commands cannot see what an interpreter runs (python -c, node -e, a script file): require approval for those'
  return [{ code: 'config.hint', path, message }]
}

/** Settings of a disabled feature, or settings that sessions cannot reach. */
function idleFindings({ file }: AgentContext, settings: ClaudeSettings): readonly Finding[] {
  const block = providerSettings(file)
  const findings: Finding[] = []
  const idle = (path: readonly string[], why: string) =>
    findings.push({
      code: 'config.no-effect',
      path: ['claude', ...path],
      message: `${path.at(-1)} has no effect ${why}`,
    })
  if (settings.bash.allowUnsafe && !settings.bash.enabled) {
    idle(['bash', 'allow_unsafe'], 'while bash is not enabled')
  }
  if (block.extended_thinking?.budget_tokens != null && settings.thinking === null) {
    idle(['extended_thinking', 'budget_tokens'], 'while extended_thinking is not enabled')
  }
  if (block.subagents?.max_parallel != null && !settings.subagents.enabled) {
    idle(['subagents', 'max_parallel'], 'while subagents are not enabled')
  }
  if (settings.settingSources.includes('user')) {
    const message =
      '"user" loads nothing: each session has its own home folder, so settings in your home folder do not apply'
    findings.push({ code: 'config.no-effect', path: ['claude', 'setting_sources'], message })
  }
  return findings
}

// Measured with the installed CLI: these models use the budget as given, all others switch to adaptive thinking.
const budgetedModels = /^claude-(?:opus-4-5|sonnet-4-5|haiku-4-5|opus-4-2025)/

function thinkingFindings({ thinking, effort }: ClaudeSettings, modelId: string): readonly Finding[] {
  if (thinking === null) return []
  const findings: Finding[] = []
  if (!budgetedModels.test(modelId)) {
    const path = ['claude', 'extended_thinking']
    const message = 'budget_tokens is only a hint: this model decides how long it thinks'
    findings.push({ code: 'config.hint', path, message })
  }
  if (effort !== null) {
    const message = 'effort and extended_thinking both control how long the model thinks: set only one of them'
    findings.push({ code: 'config.hint', path: ['claude', 'effort'], message })
  }
  return findings
}

const switches: Readonly<Record<string, string>> = {
  Bash: 'bash.enabled',
  Read: 'file_system.read',
  Glob: 'file_system.read',
  Grep: 'file_system.read',
  Write: 'file_system.write',
  Edit: 'file_system.edit',
  WebSearch: 'web_search',
  Agent: 'subagents.enabled',
  [questionTool]: 'allowed_tools',
}

function toolFindings({ source, file }: AgentContext, settings: ClaudeSettings): readonly Finding[] {
  const findings: Finding[] = []
  const configured = availableTools({ ...settings, allowedTools: null, disallowedTools: [] })
  const lists = [
    { names: settings.allowedTools ?? [], path: ['claude', 'allowed_tools'], needsSwitch: true },
    { names: settings.disallowedTools, path: ['claude', 'disallowed_tools'], needsSwitch: false },
    ...Object.entries(settings.agents).map(([name, { tools }]) => ({
      names: tools ?? [],
      path: ['claude', 'agents', name, 'tools'],
      needsSwitch: true,
    })),
  ]
  for (const { names, path, needsSwitch } of lists) {
    names.forEach((name, index) => {
      const at = { path: [...path, index], part: 'value' } as const
      // Tools of clients are unknown at load time.
      if (ownNameOf(name) !== null || isDeclared(name, file.tools ?? [])) return
      const switchedBy = entryOf(switches, name)
      if (switchedBy === undefined) {
        const message = `no tool is named "${asWritten(source, at.path, name)}"`
        findings.push({
          ...at,
          code: 'config.no-effect',
          message,
          suggestion: nearestName(name, [...Object.keys(switches), ...(file.tools ?? []).map((tool) => tool.name)]),
        })
      } else if (needsSwitch && name !== questionTool && !configured.includes(name)) {
        findings.push({
          ...at,
          code: 'config.no-effect',
          message: `${name} stays disabled: claude.${switchedBy} is not true`,
        })
      }
    })
  }
  if (settings.fileSystem.edit && !settings.fileSystem.read) {
    const message = 'edit without read: the agent can only edit files it has read'
    findings.push({ code: 'config.hint', path: ['claude', 'file_system', 'edit'], message })
  }
  if (!settings.subagents.enabled && Object.keys(settings.agents).length > 0) {
    const message = 'agents has no effect while subagents.enabled is false'
    findings.push({ code: 'config.no-effect', path: ['claude', 'agents'], message })
  }
  return findings
}

function folderFindings({ workingDirectory, settingSources }: ClaudeSettings): readonly Finding[] {
  if (!existsSync(join(workingDirectory, 'CLAUDE.md'))) return []
  const isLoaded = settingSources.includes('project')
  const message = isLoaded
    ? 'CLAUDE.md in the working directory is loaded in addition to the instructions and may contradict them'
    : 'CLAUDE.md in the working directory is not loaded (setting_sources does not list project), but the agent may read it'
  return [{ code: 'config.collision', path: ['claude', 'working_directory'], message }]
}
