import { z } from 'zod'
import { Scope } from '../access/scope.ts'
import { BudgetPeriod, BudgetUnit } from './money.ts'
import { route } from './route.ts'

/** Of a key and of an owner. */
export const KeyName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9._@-]{0,63}$/,
    'is not a name for a key or an owner: a letter, then up to 63 letters, digits, dots, dashes, @ or _',
  )

/** The budget of sessions started with a key. */
const KeyBudget = z.strictObject({
  limitUsd: z.number().positive(),
  period: BudgetPeriod.default('total'),
})

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

export const keyRoutes = {
  list: route({
    method: 'get',
    path: '/v1/keys',
    summary: 'All keys, including revoked and expired ones; never their tokens',
    status: 200,
    needs: 'manage',
    reply: z.object({ keys: z.array(KeySummary) }),
    errors: [],
  }),
  create: route({
    method: 'post',
    path: '/v1/keys',
    summary: 'Create a key; only this reply contains its token',
    status: 201,
    needs: 'manage',
    isKeyless: true, // the token is shown once
    body: CreateKeyBody,
    reply: CreatedKey,
    errors: ['key.exists'],
  }),
  revoke: route({
    method: 'delete',
    path: '/v1/keys/{keyName}',
    summary: 'Revoke a key: its token is refused from now on, and its open streams end',
    status: 200,
    needs: 'manage',
    params: z.object({ keyName: KeyName }),
    reply: z.object({ name: z.string() }),
    errors: ['key.not-found'],
  }),
}
