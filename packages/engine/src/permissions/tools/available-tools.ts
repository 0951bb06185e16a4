// The tools that exist for an agent. Tools that the agent file does not enable are not offered, regardless of the mode.
import type { AgentTool, ClaudeSettings } from '@quarterdeck/protocol'
import { questionTool } from '../../ports/question-tool.ts'

/** Every tool that the engine supports. */
export const knownTools = [
  'Bash',
  'Read',
  'Glob',
  'Grep',
  'Write',
  'Edit',
  'WebSearch',
  'Agent',
  'SendMessage',
  questionTool,
] as const

export const isKnownTool = (name: string): boolean => knownTools.some((tool) => tool === name)

/** The SDK's names of the agent's tools, in a fixed order. `declared` are the tools of its file. */
export function availableTools(claude: ClaudeSettings, declared: readonly AgentTool[] = []): readonly string[] {
  const { bash, fileSystem, webSearch, subagents, allowedTools, disallowedTools } = claude
  const tools = [
    ...(bash.enabled ? ['Bash'] : []),
    ...(fileSystem.read ? ['Read', 'Glob', 'Grep'] : []),
    ...(fileSystem.write ? ['Write'] : []),
    ...(fileSystem.edit ? ['Edit'] : []),
    ...(webSearch ? ['WebSearch'] : []),
    ...(subagents.enabled ? ['Agent'] : []),
  ]
  const allowed = allowedTools === null ? null : new Set(allowedTools.map(canonicalToolName))
  // An agent with tools may ask questions. An agent without tools asks in its text, unless the tool is listed.
  const mayAsk = tools.length > 0 || declared.length > 0 || allowed?.has(questionTool) === true
  const configured = mayAsk ? [...tools, questionTool] : tools
  const disallowed = new Set(disallowedTools.map(canonicalToolName))
  const chosen = configured.filter((name) => (allowed === null || allowed.has(name)) && !disallowed.has(name))
  // An agent that may start a subagent may also message it.
  return chosen.includes('Agent') && !disallowed.has('SendMessage') ? [...chosen, 'SendMessage'] : chosen
}

/** `Task` is the older name of `Agent`: the CLI accepts both. */
export const canonicalToolName = (name: string): string => (name === 'Task' ? 'Agent' : name)
