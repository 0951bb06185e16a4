// Checks which blocks apply to the chosen backend: startup rules 2 and 3 of seed 000, and limits of the in-process
// loop.
import type { BackendName } from '@quarterdeck/protocol'
import { questionTool } from '../../ports/question-tool.ts'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import type { AgentContext } from '../agent-context.ts'
import { nearestName } from '../problems/nearest-name.ts'
import type { Path } from '../problems/value-path.ts'
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
    const message =
      'disable_subprocess_env_scrub has no effect: Quarterdeck does not scrub the environment of subprocesses'
    source.report({ severity: 'warning', code: 'config.no-effect', path, message })
  }
}

function checkOpenAi({ file, source }: AgentContext): void {
  const { permissions, disallowed_tools: disallowed } = file.openai ?? {}
  const denied = new Set([...(disallowed ?? []), ...(permissions?.disallowed_tools ?? [])])
  permissions?.allowed_tools?.forEach((name, index) => {
    if (!denied.has(name)) return
    const path = ['openai', 'permissions', 'allowed_tools', index]
    source.refuseValue(path, `"${name}" is both allowed and disallowed`)
  })
}

function checkLoop({ file, source }: AgentContext, isClaude: boolean): void {
  const lacks = (path: Path, what: string): void => {
    source.refuse(path, `backend: loop does not support ${what}: use backend: claude, or remove the setting`)
  }
  if (file.instructions.preset != null) lacks(['instructions', 'preset'], 'an instructions preset')
  if (!isClaude) return
  const { bash, file_system: files, subagents, agents, ...claude } = file.claude ?? {}
  if (bash?.enabled === true) lacks(['claude', 'bash'], 'a shell')
  if (files?.read || files?.write || files?.edit) lacks(['claude', 'file_system'], 'files')
  if (subagents?.enabled === true) lacks(['claude', 'subagents'], 'subagents')
  if (Object.keys(agents ?? {}).length > 0) lacks(['claude', 'agents'], 'subagents')
  if (claude.web_search === true) lacks(['claude', 'web_search'], 'web search')
  if ((claude.setting_sources ?? []).length > 0) lacks(['claude', 'setting_sources'], 'settings files')
  if (claude.working_directory != null) lacks(['claude', 'working_directory'], 'a working directory')
  if (file.workspace?.mode === 'copy') lacks(['workspace', 'mode'], 'a working directory')
}

/** Warns about listed names without a tool. Only tools of the file and tools of clients exist on this backend. */
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
      const message = `no tool is named "${asWritten(source, at.path, name)}"`
      const suggestion = nearestName(name, [...tools.map((tool) => tool.name), questionTool])
      source.report({ severity: 'warning', code: 'config.no-effect', ...at, message, suggestion })
    })
  }
}
