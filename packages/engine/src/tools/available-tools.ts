// Does this tool exist for this agent? What is not named in the agent file is not offered, whatever the mode.
import type { ClaudeSettings } from '@quarterdeck/protocol'

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
  'AskUserQuestion',
] as const

/** Asks a person. It is always there unless a list of the agent file leaves it out. */
export const questionTool = 'AskUserQuestion'

/** The SDK's names of the tools this agent has, in a fixed order. */
export function availableTools(claude: ClaudeSettings): readonly string[] {
  const { bash, fileSystem, webSearch, subagents, allowedTools, disallowedTools } = claude
  const configured = [
    ...(bash.enabled ? ['Bash'] : []),
    ...(fileSystem.read ? ['Read', 'Glob', 'Grep'] : []),
    ...(fileSystem.write ? ['Write'] : []),
    ...(fileSystem.edit ? ['Edit'] : []),
    ...(webSearch ? ['WebSearch'] : []),
    ...(subagents.enabled ? ['Agent'] : []),
    questionTool,
  ]
  const allowed = allowedTools === null ? null : new Set(allowedTools.map(canonicalToolName))
  const disallowed = new Set(disallowedTools.map(canonicalToolName))
  const chosen = configured.filter((name) => (allowed === null || allowed.has(name)) && !disallowed.has(name))
  // Whoever may start a subagent may go on with it.
  return chosen.includes('Agent') && !disallowed.has('SendMessage') ? [...chosen, 'SendMessage'] : chosen
}

/** `Task` is the older name of `Agent`: the CLI takes both. */
export const canonicalToolName = (name: string): string => (name === 'Task' ? 'Agent' : name)
