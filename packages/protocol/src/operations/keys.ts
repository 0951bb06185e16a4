import { z } from 'zod'
import { Scope } from '../access/scope.ts'
import { BudgetPeriod, BudgetUnit } from './money.ts'
import { route } from './route.ts'

/** Of a key and of an owner. */
export const KeyName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9._@-]{0,63}$/,
    'is no name for a key or an owner: a letter, then up to 63 letters, digits, dots, dashes, @ or _',
  )

/** What sessions started with a key may spend. */
const KeyBudget = z.strictObject({
  limitUsd: z.number().positive(),
  period: BudgetPeriod.default('total'),
})

/** Only the name has to be said. */
export const CreateKeyBody = z
  .strictObject({
    name: KeyName,
    scope: Scope.default('operator'),
    /** Whose sessions it works with; the key's own name unless said. */
    owner: KeyName.optional(),
    /** When it ends; never unless said. */
    expiresAt: z.iso.datetime({ offset: true }).nullish(),
    /** Beside the server's own limits; those alone unless said. */
    requestsPerMinute: z.int().min(1).max(60_000).nullish(),
    budget: KeyBudget.nullish(),
  })
  .meta({ id: 'CreateKey' })
export type CreateKeyBody = z.input<typeof CreateKeyBody>

/** All that is known of a key. Its token is not: only a hash of it is kept. */
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
    /** What sessions started with it may spend: made with the key or later. */
    budgets: z.array(z.object({ limit: z.number(), unit: BudgetUnit, period: BudgetPeriod })),
  })
  .meta({ id: 'Key' })
export type KeySummary = z.infer<typeof KeySummary>

export const CreatedKey = KeySummary.extend({
  /** Shown this once. */
  token: z.string(),
}).meta({ id: 'CreatedKey' })
export type CreatedKey = z.infer<typeof CreatedKey>

export const keyRoutes = {
  list: route({
    method: 'get',
    path: '/v1/keys',
    summary: 'The keys there are, revoked and expired ones too; never their tokens',
    status: 200,
    needs: 'manage',
    reply: z.object({ keys: z.array(KeySummary) }),
    errors: [],
  }),
  create: route({
    method: 'post',
    path: '/v1/keys',
    summary: 'Make a key; its token is in this reply and nowhere else',
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
    summary: 'Revoke a key: its token opens nothing from now on, and its open streams end',
    status: 200,
    needs: 'manage',
    params: z.object({ keyName: KeyName }),
    reply: z.object({ name: z.string() }),
    errors: ['key.not-found'],
  }),
}
