import type { AuditDraft } from '../../audit/audit-entry.ts'
import type { Clock } from '../event-store.ts'
import { keyEntry } from '../key-entry.ts'
import type { AccessKey, KeyStore } from '../key-store.ts'
import { keyExists } from '../store-errors.ts'

export function createMemoryKeys(clock: Clock, note: (draft: AuditDraft) => void): KeyStore {
  const byHash = new Map<string, AccessKey>()
  return {
    async createKey({ id, name, hash }, by) {
      if ([...byHash.values()].some((key) => key.name === name)) throw keyExists(name)
      const key = { id, name, createdAt: clock.now().toISOString(), revokedAt: null }
      byHash.set(hash, key)
      note(keyEntry('key.created', name, by))
      return key
    },
    listKeys: async () => [...byHash.values()],
    findKey: async (hash) => byHash.get(hash) ?? null,
    async revokeKey(name, by) {
      const found = [...byHash].find(([, key]) => key.name === name && key.revokedAt === null)
      if (found === undefined) return false
      const [hash, key] = found
      byHash.set(hash, { ...key, revokedAt: clock.now().toISOString() })
      note(keyEntry('key.revoked', name, by))
      return true
    },
  }
}
