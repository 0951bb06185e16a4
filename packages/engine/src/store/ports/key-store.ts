// Access keys by name. Only the hashes of their tokens are stored.
import type { Scope } from '@quarterdeck/protocol'
import type { StoredBudget } from './money-store.ts'

export interface AccessKey {
  readonly id: string
  readonly name: string
  readonly scope: Scope
  /** The owner whose sessions it can use. Several keys may have the same owner. */
  readonly owner: string
  readonly createdAt: string
  /** When it stops working; `null` if it is valid until it is revoked. */
  readonly expiresAt: string | null
  /** `null` if only the server's own limits apply. */
  readonly requestsPerMinute: number | null
  readonly revokedAt: string | null
}

export interface NewKey extends Omit<AccessKey, 'createdAt' | 'revokedAt'> {
  /** sha256 of the token. */
  readonly hash: string
  /** The budget of sessions started with it, in effect from its creation. */
  readonly budget: StoredBudget | null
}

export interface KeyStore {
  /** Refuses a name that is or was in use with `key.exists`. Audited, with its budget. */
  createKey(key: NewKey, by: string): Promise<AccessKey>
  /** Oldest first, including revoked and expired keys. */
  listKeys(): Promise<readonly AccessKey[]>
  /** Returns revoked and expired keys too: the caller checks. */
  findKey(hash: string): Promise<AccessKey | null>
  /** Like `findKey`, for many in one query. Unknown hashes are not in the map. */
  findKeys(hashes: readonly string[]): Promise<ReadonlyMap<string, AccessKey>>
  /** False if there is no such active key. Audited. */
  revokeKey(name: string, by: string): Promise<boolean>
}
