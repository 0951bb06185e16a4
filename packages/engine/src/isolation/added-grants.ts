// The programs, permissions and addresses that one version of an agent file adds to another.
import { type AgentDefinition, allowsMore, formatRule } from '@quarterdeck/protocol'
import { programsOf } from './guard-unsandboxed.ts'

/** In words for people. `before` is `null` for a new file. */
export function addedGrants(before: AgentDefinition | null, newest: AgentDefinition): readonly string[] {
  const known = new Set(before === null ? [] : grantsOf(before))
  const remaining = new Set(newest.approvals.deny.map(formatRule))
  const dropped = (before?.approvals.deny ?? []).map(formatRule).filter((rule) => !remaining.has(rule))
  const mode = newest.claude.permissionMode
  return [
    ...grantsOf(newest).filter((grant) => !known.has(grant)),
    ...dropped.map((rule) => `a removed deny rule: ${rule}`),
    ...(allowsMore(mode, before?.claude.permissionMode ?? 'manual') ? [`the permission mode ${mode}`] : []),
  ]
}

function grantsOf(agent: AgentDefinition): readonly string[] {
  const { approvals, claude, embedding, gateway, model, observability, tools, workspace } = agent
  const servers = tools.flatMap((tool) =>
    tool.type === 'mcp' && 'url' in tool.transport
      ? [
          `the MCP server ${tool.name} at ${tool.transport.url} (headers: ${tool.transport.headers.join(', ') || 'none'})`,
        ]
      : [],
  )
  const endpoints = [model.endpoint, embedding?.endpoint, observability?.otlp?.endpoint].filter(isNamed)
  return [
    ...programsOf(agent),
    ...approvals.allow.map((rule) => `the allow rule ${formatRule(rule)}`),
    ...(workspace.writable ?? []).map((folder) => `the writable folder ${folder}`),
    ...servers,
    ...endpoints.map((endpoint) => `the endpoint ${endpoint}`),
    ...(gateway ? [] : ['the provider’s key, without the gateway']),
    ...claude.settingSources.map((source) => `the settings of the source ${source}`),
  ]
}

const isNamed = (endpoint: string | null | undefined): endpoint is string => endpoint != null
