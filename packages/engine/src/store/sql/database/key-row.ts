import type { Selectable } from 'kysely'
import type { AccessKey } from '../../ports/key-store.ts'
import type { StoreTables } from './tables.ts'

/** Without the hash of the token. */
export const keyOfRow = (row: Selectable<StoreTables['keys']>): AccessKey => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  owner: row.owner,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  requestsPerMinute: row.requests_per_minute,
})
