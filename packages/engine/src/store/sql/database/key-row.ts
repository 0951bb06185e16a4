import type { Selectable } from 'kysely'
import type { AccessKey } from '../../ports/key-store.ts'
import type { StoreTables } from './tables.ts'

/** Every column but the hash of the token. */
export const keyColumns = [
  ...(['id', 'name', 'scope', 'owner', 'created_at', 'expires_at'] as const),
  ...(['requests_per_minute', 'revoked_at'] as const),
] as const

export const keyOfRow = (row: Pick<Selectable<StoreTables['keys']>, (typeof keyColumns)[number]>): AccessKey => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  owner: row.owner,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  requestsPerMinute: row.requests_per_minute,
})
