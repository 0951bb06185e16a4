import { z } from 'zod'
import { PermissionMode } from '../access/tool-permissions.ts'
import { AgentName, ModelSource } from '../agents/agent-definition.ts'
import { operation } from './operation.ts'

/** An agent file of the server. A file that cannot be loaded is listed with its problems, not hidden. */
export const AgentSummary = z
  .object({
    name: AgentName,
    description: z.string().nullable(),
    file: z.string(),
    model: z.string().nullable(),
    modelSource: ModelSource.nullable(),
    permissionMode: PermissionMode.nullable(),
    starters: z.array(z.string()),
    problems: z.array(z.string()),
  })
  .meta({ id: 'Agent' })
export type AgentSummary = z.infer<typeof AgentSummary>

/**
 * An agent file that was changed or added while the server was running and waits for a person: every change on machines
 * without a sandbox, and new agents in the workspace of another agent elsewhere.
 */
export const AgentChange = z
  .object({
    agentName: z.string(),
    /** Identifies this content of the file: other content gets another version. */
    version: z.string(),
    at: z.iso.datetime(),
    /** Functions, hook scripts, MCP commands, allow rules and the like that the accepted version does not have. */
    added: z.array(z.string()).readonly(),
    /** No version is accepted yet: the agent cannot be used until an admin accepts this one. */
    isNew: z.boolean(),
  })
  .meta({ id: 'AgentChange' })
export type AgentChange = z.infer<typeof AgentChange>

export const DecideAgentChangeBody = z
  .strictObject({ version: z.string().min(1).max(64), decision: z.enum(['accept', 'reject']) })
  .meta({ id: 'DecideAgentChangeBody' })
export type DecideAgentChangeBody = z.infer<typeof DecideAgentChangeBody>

export const agentOperations = {
  listAgents: operation({
    method: 'get',
    path: '/v1/agents',
    rpc: 'agent.list',
    summary: 'List the agents of this server; the server reads a file again when it changes',
    permission: 'read',
    belongsTo: 'none',
    reply: z.object({ agents: z.array(AgentSummary) }),
    errors: [],
  }),
  decideAgentChange: operation({
    method: 'post',
    path: '/v1/agents/{name}/change',
    rpc: 'agent.decideChange',
    summary: 'Accept or reject a waiting change of an agent file',
    permission: 'manage',
    belongsTo: 'none',
    body: DecideAgentChangeBody,
    reply: DecideAgentChangeBody,
    errors: ['agent.not-found', 'agent.change-not-found', 'config.invalid'],
  }),
}
