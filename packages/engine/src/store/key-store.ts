// Tokens by name. Only their hashes are kept.

export interface AccessKey {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly revokedAt: string | null
}

export interface NewKey {
  readonly id: string
  readonly name: string
  /** sha256 of the token. */
  readonly hash: string
}

export interface KeyStore {
  /** Refuses a name that is or was in use with `key.exists`. Audited. */
  createKey(key: NewKey, by: string): Promise<AccessKey>
  /** Oldest first, revoked ones too. */
  listKeys(): Promise<readonly AccessKey[]>
  /** Also a revoked one: the caller looks at `revokedAt`. */
  findKey(hash: string): Promise<AccessKey | null>
  /** False if there is no such key that still holds. Audited. */
  revokeKey(name: string, by: string): Promise<boolean>
}
