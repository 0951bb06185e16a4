// Audit entries for changes that no event records: keys, budgets and deleted sessions.
import type { SessionId } from '@quarterdeck/protocol'
import { type AuditDraft, sha256 } from '../../../audit/audit-entry.ts'
import type { KeyFacts } from '../../../audit/verify-keys.ts'
import type { AccessKey, NewKey } from '../../ports/key-store.ts'
import type { StoredBudget } from '../../ports/money-store.ts'

export function keyCreated(key: NewKey, by: string): AuditDraft {
  const detail = termsOf(factsOfKey({ ...key, revokedAt: null }))
  return { principal: by, action: 'key.created', sessionId: null, subject: key.name, detail }
}

/** For a key created by a version that did not record key terms in the chain. */
export function keyAdopted(facts: KeyFacts): AuditDraft {
  return { principal: 'engine', action: 'key.adopted', sessionId: null, subject: facts.name, detail: termsOf(facts) }
}

const termsOf = ({ scope, owner, expiresAt, requestsPerMinute, tokenFingerprint, isRevoked }: KeyFacts) => ({
  scope,
  owner,
  ...(expiresAt === null ? {} : { expiresAt }),
  ...(requestsPerMinute === null ? {} : { requestsPerMinute }),
  tokenFingerprint,
  ...(isRevoked ? { isRevoked } : {}),
})

type StoredKey = Omit<AccessKey, 'id' | 'createdAt'> & { readonly hash: string }

/** @param key with the hash of its token. The chain stores only a fingerprint of that hash. */
export const factsOfKey = (key: StoredKey): KeyFacts => ({
  name: key.name,
  scope: key.scope,
  owner: key.owner,
  expiresAt: key.expiresAt,
  requestsPerMinute: key.requestsPerMinute,
  tokenFingerprint: sha256(key.hash),
  isRevoked: key.revokedAt !== null,
})

export function keyRevoked(name: string, by: string): AuditDraft {
  return { principal: by, action: 'key.revoked', sessionId: null, subject: name, detail: {} }
}

/** Records a change of budgets. */
export function budgetEntry(action: 'budget.saved' | 'budget.deleted', budget: StoredBudget, by: string): AuditDraft {
  const { id, scope, subject, period, unit, limit } = budget
  return { principal: by, action, sessionId: null, subject: id, detail: { scope, subject, period, unit, limit } }
}

/** Explains to a verifier of the chain why the events of a session are missing. */
export function deletionEntry(
  sessionId: SessionId,
  detail: { readonly events: number; readonly agentName: string; readonly owner: string },
  by: string,
): AuditDraft {
  return { principal: by, action: sessionDeleted, sessionId, subject: sessionId, detail }
}

export const sessionDeleted = 'session.deleted'
