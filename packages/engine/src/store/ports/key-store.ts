// Tokens by name. Only their hashes are kept.
import type { Scope } from '@quarterdeck/protocol'
import type { Budget } from './money-store.ts'

export interface AccessKey {
  readonly id: string
  readonly name: string
  readonly scope: Scope
  /** Whose sessions it works with; several keys may have one owner. */
  readonly owner: string
  readonly createdAt: string
  /** From then on it opens nothing; `null`: it holds until it is revoked. */
  readonly expiresAt: string | null
  /** `null`: the server's own limits alone hold. */
  readonly requestsPerMinute: number | null
  readonly revokedAt: string | null
}

export interface NewKey extends Omit<AccessKey, 'createdAt' | 'revokedAt'> {
  /** sha256 of the token. */
  readonly hash: string
  /** What sessions started with it may spend: there from its first moment on. */
  readonly budget: Budget | null
}

export interface KeyStore {
  /** Refuses a name that is or was in use with `key.exists`. Audited, with its budget. */
  createKey(key: NewKey, by: string): Promise<AccessKey>
  /** Oldest first, revoked and expired ones too. */
  listKeys(): Promise<readonly AccessKey[]>
  /** Also a revoked or expired one: the caller looks. */
  findKey(hash: string): Promise<AccessKey | null>
  /** As `findKey`, for many at the cost of one. Unknown hashes are not in the map. */
  findKeys(hashes: readonly string[]): Promise<ReadonlyMap<string, AccessKey>>
  /** False if there is no such key that is not revoked. Audited. */
  revokeKey(name: string, by: string): Promise<boolean>
}
