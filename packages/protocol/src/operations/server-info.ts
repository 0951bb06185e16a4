import { z } from 'zod'
import { PermissionMode } from '../access/permissions.ts'
import { AgentName, ModelSource } from '../agents/agent-definition.ts'
import { ModelPrice, ModelTier } from '../models/model-catalog.ts'
import { route } from './route.ts'

const Health = z
  .object({ status: z.literal('healthy'), service: z.literal('quarterdeck'), version: z.string() })
  .meta({ id: 'Health' })

const Ready = z.object({ status: z.literal('ready') }).meta({ id: 'Ready' })

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

export const ModelSummary = z.object({
  /** The model names; `auto`, the first one, leaves the choice to the rules. */
  id: z.string(),
  label: z.string(),
  /** `null` for `auto`, whose turns have the values of the chosen model. */
  tier: ModelTier.nullable(),
  multiplier: z.number().nullable(),
  price: ModelPrice.nullable(),
  contextWindow: z.int(),
  use: z.string(),
  runsAs: z.string().nullable(),
  available: z.boolean(),
  /** Why it is not available, or a note about it. */
  reason: z.string().nullable(),
})
export type ModelSummary = z.infer<typeof ModelSummary>

/** With an agent: only models that its sessions may choose. */
export const ModelsQuery = z.strictObject({ agent: AgentName.optional() })
export type ModelsQuery = z.input<typeof ModelsQuery>

/** A compatibility protocol on its own loopback port: programs on this machine use this agent there without a token. */
const ServedCompatListener = z
  .object({ wire: z.string(), url: z.string(), agent: AgentName })
  .meta({ id: 'CompatListener' })

export const ServerInfo = z
  .object({
    version: z.string(),
    usesSimulator: z.boolean(),
    principal: z.string(),
    /** The data folder on the server's machine for admins, `null` for all others. */
    dataFolder: z.string().nullable(),
    compatListeners: z.array(ServedCompatListener),
  })
  .meta({ id: 'ServerInfo' })
export type ServerInfo = z.infer<typeof ServerInfo>

export const serverRoutes = {
  health: route({
    method: 'get',
    path: '/health',
    summary: 'Alive',
    status: 200,
    needs: 'nothing',
    reply: Health,
    errors: [],
  }),
  ready: route({
    method: 'get',
    path: '/ready',
    summary: 'Accepts new work',
    status: 200,
    needs: 'nothing',
    reply: Ready,
    errors: ['server.draining', 'store.unavailable'],
  }),
  info: route({
    method: 'get',
    path: '/v1/server',
    summary: 'Facts about this server and the caller',
    status: 200,
    needs: 'read',
    reply: ServerInfo,
    errors: [],
  }),
  agents: route({
    method: 'get',
    path: '/v1/agents',
    summary: 'The agents of this server; a file is read again when it changes',
    status: 200,
    needs: 'read',
    reply: z.object({ agents: z.array(AgentSummary) }),
    errors: [],
  }),
  models: route({
    method: 'get',
    path: '/v1/models',
    summary: 'The model catalog with the available models, automatic selection first',
    status: 200,
    needs: 'read',
    query: ModelsQuery,
    reply: z.object({ models: z.array(ModelSummary) }),
    errors: ['agent.not-found', 'config.invalid', 'config.missing-credential'],
  }),
}
