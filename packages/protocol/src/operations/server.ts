import { z } from 'zod'
import { AgentName } from '../agents/agent-definition.ts'
import { ModelPrice, ModelTier } from '../models/model-catalog.ts'
import { operation } from './operation.ts'

const Health = z
  .object({ status: z.literal('healthy'), service: z.literal('quarterdeck'), version: z.string() })
  .meta({ id: 'Health' })

const Ready = z.object({ status: z.literal('ready') }).meta({ id: 'Ready' })

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
const ModelsQuery = z.strictObject({ agent: AgentName.optional() })

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

export const serverOperations = {
  health: operation({
    method: 'get',
    path: '/health',
    rpc: null,
    summary: 'Report that the server is alive',
    permission: 'nothing',
    belongsTo: 'none',
    reply: Health,
    errors: [],
  }),
  ready: operation({
    method: 'get',
    path: '/ready',
    rpc: null,
    summary: 'Report whether the server accepts new work',
    permission: 'nothing',
    belongsTo: 'none',
    reply: Ready,
    errors: ['server.draining', 'store.unavailable'],
  }),
  serverInfo: operation({
    method: 'get',
    path: '/v1/server',
    rpc: 'server.info',
    summary: 'Return facts about this server and the caller',
    permission: 'read',
    belongsTo: 'none',
    reply: ServerInfo,
    errors: [],
  }),
  listModels: operation({
    method: 'get',
    path: '/v1/models',
    rpc: 'model.list',
    summary: 'List the model catalog with the available models, automatic selection first',
    permission: 'read',
    belongsTo: 'none',
    query: ModelsQuery,
    reply: z.object({ models: z.array(ModelSummary) }),
    errors: ['agent.not-found', 'config.invalid', 'config.missing-credential'],
  }),
}
