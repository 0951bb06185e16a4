// What the audit chain says about a key.
import { type AuditDraft, sha256 } from '../../../audit/audit-entry.ts'
import type { KeyFacts } from '../../../audit/verify-keys.ts'
import type { AccessKey, NewKey } from '../../ports/key-store.ts'

export const keyCreated = (key: NewKey, by: string): AuditDraft => ({
  principal: by,
  action: 'key.created',
  sessionId: null,
  subject: key.name,
  detail: termsOf(factsOfKey({ ...key, revokedAt: null })),
})

/** For a key of a version that did not record the terms of keys in the chain. */
export const keyAdopted = (facts: KeyFacts): AuditDraft => ({
  principal: 'engine',
  action: 'key.adopted',
  sessionId: null,
  subject: facts.name,
  detail: termsOf(facts),
})

const termsOf = ({ scope, owner, expiresAt, requestsPerMinute, tokenFingerprint, isRevoked }: KeyFacts) => ({
  scope,
  owner,
  ...(expiresAt === null ? {} : { expiresAt }),
  ...(requestsPerMinute === null ? {} : { requestsPerMinute }),
  tokenFingerprint,
  ...(isRevoked ? { isRevoked } : {}),
})

type StoredKey = Omit<AccessKey, 'id' | 'createdAt'> & { readonly hash: string }

/** @param key with the hash of its token, which the chain does not repeat. */
export const factsOfKey = (key: StoredKey): KeyFacts => ({
  name: key.name,
  scope: key.scope,
  owner: key.owner,
  expiresAt: key.expiresAt,
  requestsPerMinute: key.requestsPerMinute,
  tokenFingerprint: sha256(key.hash),
  isRevoked: key.revokedAt !== null,
})

export const keyRevoked = (name: string, by: string): AuditDraft => ({
  principal: by,
  action: 'key.revoked',
  sessionId: null,
  subject: name,
  detail: {},
})
