// Which of the blocks counts, and what of it this backend has: startup rules 2 and 3 of seed 000, and what the in-process
// loop cannot do.
import type { BackendName, ToolFiltering } from '@quarterdeck/protocol'
import { questionTool } from '../../backends/question-tool.ts'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import { nearestName } from '../problems/nearest-name.ts'
import type { Path } from '../problems/value-path.ts'
import type { AgentContext } from '../resolve/resolve-agent.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { claudeProviders } from './choose-backend.ts'
import { isDeclared } from './declared-tool.ts'

export function checkBlocks(context: AgentContext, backend: BackendName): void {
  const { file, source } = context
  const { provider } = file.model
  const isClaude = claudeProviders.includes(provider)
  const ignored = isClaude ? 'openai' : 'claude'
  if (file[ignored] != null) {
    const message = `"${ignored}" is ignored: the provider is ${provider}`
    source.report({ severity: 'warning', code: 'config.no-effect', path: [ignored], message })
  }
  if (!isClaude) checkOpenAi(context)
  if (backend === 'loop') checkLoop(context, isClaude)
  if (backend === 'loop') checkToolNames(context, isClaude)
  if (isClaude && file.claude?.disable_subprocess_env_scrub === true) {
    const path = ['claude', 'disable_subprocess_env_scrub']
    const message = 'disable_subprocess_env_scrub has no effect: nothing is scrubbed, so there is nothing to switch off'
    source.report({ severity: 'warning', code: 'config.no-effect', path, message })
  }
}

function checkOpenAi({ file, source }: AgentContext): void {
  const { permissions, disallowed_tools: disallowed } = file.openai ?? {}
  const denied = new Set([...(disallowed ?? []), ...(permissions?.disallowed_tools ?? [])])
  permissions?.allowed_tools?.forEach((name, index) => {
    if (!denied.has(name)) return
    const path = ['openai', 'permissions', 'allowed_tools', index]
    const message = `"${name}" is both allowed and disallowed`
    source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message })
  })
}

function checkLoop({ file, source }: AgentContext, isClaude: boolean): void {
  const lacks = (path: Path, what: string): void => {
    const message = `backend: loop has no ${what}: use backend: claude, or leave it out`
    source.report({ severity: 'error', code: 'config.invalid', path, message })
  }
  if (file.instructions.preset != null) lacks(['instructions', 'preset'], 'preset of instructions')
  if (!isClaude) return
  const { bash, file_system: files, subagents, agents, ...claude } = file.claude ?? {}
  if (bash?.enabled === true) lacks(['claude', 'bash'], 'shell')
  if (files?.read || files?.write || files?.edit) lacks(['claude', 'file_system'], 'files')
  if (subagents?.enabled === true) lacks(['claude', 'subagents'], 'subagents')
  if (Object.keys(agents ?? {}).length > 0) lacks(['claude', 'agents'], 'subagents')
  if (claude.web_search === true) lacks(['claude', 'web_search'], 'web search')
  if ((claude.setting_sources ?? []).length > 0) lacks(['claude', 'setting_sources'], 'settings files')
  if (claude.working_directory != null) lacks(['claude', 'working_directory'], 'working directory')
  if (file.workspace?.mode === 'copy') lacks(['workspace', 'mode'], 'working directory')
}

/** Names in lists that mean no tool: there are only those of the file, and clients bring theirs. */
function checkToolNames({ file, source }: AgentContext, isClaude: boolean): void {
  const tools = file.tools ?? []
  const { claude, openai, tool_filtering: filtering } = file
  const lists: readonly { readonly names: readonly string[] | null | undefined; readonly path: Path }[] = [
    { names: isClaude ? claude?.allowed_tools : null, path: ['claude', 'allowed_tools'] },
    { names: isClaude ? claude?.disallowed_tools : null, path: ['claude', 'disallowed_tools'] },
    { names: isClaude ? null : openai?.disallowed_tools, path: ['openai', 'disallowed_tools'] },
    ...(['allowed_tools', 'disallowed_tools'] as const).map((list) => ({
      names: isClaude ? null : openai?.permissions?.[list],
      path: ['openai', 'permissions', list],
    })),
    { names: filtering?.always_include, path: ['tool_filtering', 'always_include'] },
  ]
  for (const { names, path } of lists) {
    names?.forEach((name, index) => {
      if (name === questionTool || ownNameOf(name) !== null || isDeclared(name, tools)) return
      const at = { path: [...path, index], part: 'value' } as const
      const message = `no tool here is called "${asWritten(source, at.path, name)}"`
      const suggestion = nearestName(name, [...tools.map((tool) => tool.name), questionTool])
      source.report({ severity: 'warning', code: 'config.no-effect', ...at, message, suggestion })
    })
  }
}

/** On the Claude backend it is cleared, and said so. */
export function resolveToolFiltering({ file, source }: AgentContext, backend: BackendName): ToolFiltering | null {
  const block = file.tool_filtering
  if (block == null) return null
  if (backend === 'claude') {
    const message = '"tool_filtering" has no effect: the Claude backend chooses among tools by itself'
    source.report({ severity: 'warning', code: 'config.no-effect', path: ['tool_filtering'], message })
    return null
  }
  if (block.enabled === false) return null
  return {
    topK: block.top_k ?? 5,
    minScore: block.similarity_threshold ?? 0.3,
    alwaysInclude: block.always_include ?? [],
    alwaysIncludeMostUsed: block.always_include_top_n_used ?? 3,
    method: block.search_method ?? 'bm25',
  }
}
