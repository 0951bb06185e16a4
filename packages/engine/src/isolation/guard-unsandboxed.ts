// On machines without namespaces, agents that run programs start only if the operator allows it.
import { type AgentDefinition, QuarterdeckError } from '@quarterdeck/protocol'
import { availableTools } from '../permissions/tools/available-tools.ts'
import type { AgentRegistry } from '../ports/agent-registry.ts'
import type { Isolation } from './sandbox-command.ts'

export interface UnsandboxedRule {
  readonly isolation: () => Promise<Isolation>
  /** Whether the operator accepts agents without a sandbox. */
  readonly isAllowed: boolean
}

/** Loading an agent that needs a sandbox throws `agent.unsandboxed` if there is none. */
export function guardUnsandboxed(agents: AgentRegistry, { isolation, isAllowed }: UnsandboxedRule): AgentRegistry {
  if (isAllowed) return agents
  return {
    ...agents,
    async load(name) {
      const agent = await agents.load(name)
      const programs = programsOf(agent)
      if (programs.length === 0) return agent
      const { why } = await isolation()
      if (why === null) return agent
      const detail = `agent "${name}" cannot be sandboxed: ${why}. It has ${programs.join(', ')}. Run it on Linux with namespaces, or accept the risk with --allow-unsandboxed, or with allow_unsandboxed: true in ~/.quarterdeck/config.yaml.`
      throw new QuarterdeckError('agent.unsandboxed', detail, { facts: { agent: name, programs } })
    },
  }
}

/** The parts of an agent that run programs on this machine, in words for people. */
export function programsOf({ backend, claude, tools, hooks }: AgentDefinition): readonly string[] {
  const hasShell = backend === 'claude' && availableTools(claude, tools).includes('Bash')
  return [
    ...(hasShell ? ['a shell (Bash)'] : []),
    ...tools.flatMap((tool) => {
      if (tool.type === 'function') return [`the function ${tool.name} (${tool.file}, ${tool.functionName})`]
      if (tool.type !== 'mcp') return []
      const { transport } = tool
      if (transport.type === 'stdio') {
        return [`the MCP server ${tool.name} (${[transport.command, ...transport.args].join(' ')})`]
      }
      if (transport.type !== 'in_process') return []
      return [`the MCP server ${tool.name} (${transport.file}, ${transport.functionName})`]
    }),
    ...hooks.flatMap(({ event, action }) =>
      action.type === 'script' ? [`the hook at ${event} (${[action.command, ...action.args].join(' ')})`] : [],
    ),
  ]
}
