import { z } from 'zod'
import { Scope } from '../access/scope.ts'
import { BudgetPeriod, BudgetUnit } from './money.ts'
import { operation } from './operation.ts'
import { KeyName } from './path-ids.ts'

/** The budget of sessions started with a key. */
const KeyBudget = z.strictObject({ limitUsd: z.number().positive(), period: BudgetPeriod.default('total') })

/** Only the name is required. */
export const CreateKeyBody = z
  .strictObject({
    name: KeyName,
    scope: Scope.default('operator'),
    /** The owner of its sessions; by default the key's own name. */
    owner: KeyName.optional(),
    /** When it expires; never by default. */
    expiresAt: z.iso.datetime({ offset: true }).nullish(),
    /** In addition to the server's own limits; none by default. */
    requestsPerMinute: z.int().min(1).max(60_000).nullish(),
    budget: KeyBudget.nullish(),
  })
  .meta({ id: 'CreateKey' })
export type CreateKeyBody = z.input<typeof CreateKeyBody>

/** Everything known about a key except its token, of which only a hash is stored. */
export const KeySummary = z
  .object({
    id: z.string(),
    name: z.string(),
    scope: Scope,
    owner: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable(),
    requestsPerMinute: z.int().nullable(),
    revokedAt: z.iso.datetime().nullable(),
    /** The budgets of sessions started with it, created with the key or later. */
    budgets: z.array(z.object({ limit: z.number(), unit: BudgetUnit, period: BudgetPeriod })),
  })
  .meta({ id: 'Key' })
export type KeySummary = z.infer<typeof KeySummary>

export const CreatedKey = KeySummary.extend({
  /** Shown only once. */
  token: z.string(),
}).meta({ id: 'CreatedKey' })
export type CreatedKey = z.infer<typeof CreatedKey>

export const keyOperations = {
  listKeys: operation({
    method: 'get',
    path: '/v1/keys',
    rpc: 'key.list',
    summary: 'List all keys, including revoked and expired ones, without their tokens',
    permission: 'manage',
    belongsTo: 'none',
    reply: z.object({ keys: z.array(KeySummary) }),
    errors: [],
  }),
  /** The only reply that contains the token. */
  createKey: operation({
    method: 'post',
    path: '/v1/keys',
    rpc: 'key.create',
    summary: 'Create a key; only this reply contains its token',
    status: 201,
    permission: 'manage',
    belongsTo: 'none',
    refusesIdempotencyKey: 'its reply contains a token that is shown once',
    body: CreateKeyBody,
    reply: CreatedKey,
    errors: ['key.exists'],
  }),
  revokeKey: operation({
    method: 'delete',
    path: '/v1/keys/{keyName}',
    rpc: 'key.revoke',
    summary: 'Revoke a key: its token is refused from now on, and its open streams end',
    permission: 'manage',
    belongsTo: 'none',
    reply: z.object({ name: z.string() }),
    errors: ['key.not-found'],
  }),
}
