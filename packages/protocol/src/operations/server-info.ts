import { z } from 'zod'
import { PermissionMode } from '../access/permissions.ts'
import { AgentName, ModelSource } from '../agents/agent-definition.ts'
import { ModelPrice, ModelTier } from '../models/model-catalog.ts'
import { route } from './route.ts'

const Health = z
  .object({ status: z.literal('healthy'), service: z.literal('quarterdeck'), version: z.string() })
  .meta({ id: 'Health' })

const Ready = z.object({ status: z.literal('ready') }).meta({ id: 'Ready' })

/** An agent file the server serves. One that cannot be loaded is listed with its problems, not hidden. */
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
  /** What to write as a model; `auto`, the first of the list, leaves the choice to the rules. */
  id: z.string(),
  label: z.string(),
  /** `null` for `auto`, whose turns have those of what they chose. */
  tier: ModelTier.nullable(),
  multiplier: z.number().nullable(),
  price: ModelPrice.nullable(),
  contextWindow: z.int(),
  use: z.string(),
  runsAs: z.string().nullable(),
  available: z.boolean(),
  /** Why it is not available, or what to know about it. */
  reason: z.string().nullable(),
})
export type ModelSummary = z.infer<typeof ModelSummary>

/** With an agent: only what its sessions may ask for. */
export const ModelsQuery = z.strictObject({ agent: AgentName.optional() })
export type ModelsQuery = z.input<typeof ModelsQuery>

/** A foreign wire on a loopback port of its own: whoever is on this machine talks to this agent there, without a token. */
const ServedCompatListener = z.object({ wire: z.string(), url: z.string(), agent: AgentName }).meta({ id: 'Door' })

export const ServerInfo = z
  .object({
    version: z.string(),
    usesSimulator: z.boolean(),
    principal: z.string(),
    /** Where on the server's machine its files lie; told to admins, `null` to all others. */
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
    summary: 'Takes new work',
    status: 200,
    needs: 'nothing',
    reply: Ready,
    errors: ['server.draining', 'store.unavailable'],
  }),
  info: route({
    method: 'get',
    path: '/v1/server',
    summary: 'What this server is and who you are to it',
    status: 200,
    needs: 'read',
    reply: ServerInfo,
    errors: [],
  }),
  agents: route({
    method: 'get',
    path: '/v1/agents',
    summary: 'The agents served here; the file is read again when it changes',
    status: 200,
    needs: 'read',
    reply: z.object({ agents: z.array(AgentSummary) }),
    errors: [],
  }),
  models: route({
    method: 'get',
    path: '/v1/models',
    summary: 'The model catalog, automatic selection first, with what is available here',
    status: 200,
    needs: 'read',
    query: ModelsQuery,
    reply: z.object({ models: z.array(ModelSummary) }),
    errors: ['agent.not-found', 'config.invalid', 'config.missing-credential'],
  }),
}
