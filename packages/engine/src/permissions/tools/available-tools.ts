// Does this tool exist for this agent? What is not named in the agent file is not offered, whatever the mode.
import type { AgentTool, ClaudeSettings } from '@quarterdeck/protocol'
import { questionTool } from '../../backends/question-tool.ts'

/** Every tool an agent can have here. */
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

/** The SDK's names of the tools this agent has, in a fixed order; `declared` are those of its file beside them. */
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
  // Whoever has something to do may ask about it; one who only talks asks in words, unless it is named.
  const mayAsk = tools.length > 0 || declared.length > 0 || allowed?.has(questionTool) === true
  const configured = mayAsk ? [...tools, questionTool] : tools
  const disallowed = new Set(disallowedTools.map(canonicalToolName))
  const chosen = configured.filter((name) => (allowed === null || allowed.has(name)) && !disallowed.has(name))
  // Whoever may start a subagent may go on with it.
  return chosen.includes('Agent') && !disallowed.has('SendMessage') ? [...chosen, 'SendMessage'] : chosen
}

/** `Task` is the older name of `Agent`: the CLI takes both. */
export const canonicalToolName = (name: string): string => (name === 'Task' ? 'Agent' : name)
