import type { AuditDraft } from '../../audit/audit-entry.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AuditStore } from '../ports/audit-store.ts'
import type { AccessKey, KeyStore } from '../ports/key-store.ts'
import type { MoneyStore } from '../ports/money-store.ts'
import { keyExists } from '../ports/store-errors.ts'
import { factsOfKey, keyCreated, keyRevoked } from '../sql/audit/change-entries.ts'

interface MemoryKeyParts {
  readonly clock: Clock
  readonly note: (draft: AuditDraft) => void
  readonly saveBudget: MoneyStore['saveBudget']
}

export function createMemoryKeys({ clock, note, saveBudget }: MemoryKeyParts): KeyStore & Pick<AuditStore, 'keyFacts'> {
  const byHash = new Map<string, AccessKey>()
  return {
    async createKey(made, by) {
      if ([...byHash.values()].some((key) => key.name === made.name)) throw keyExists(made.name)
      const { hash, budget, ...terms } = made
      const key = { ...terms, createdAt: clock.now().toISOString(), revokedAt: null }
      byHash.set(hash, key)
      note(keyCreated(made, by))
      if (budget !== null) await saveBudget(budget, by)
      return key
    },
    keyFacts: async () => [...byHash].map(([hash, key]) => factsOfKey({ ...key, hash })),
    listKeys: async () => [...byHash.values()],
    findKey: async (hash) => byHash.get(hash) ?? null,
    async findKeys(hashes) {
      const found = hashes.map((hash) => [hash, byHash.get(hash)] as const)
      return new Map(found.flatMap(([hash, key]) => (key === undefined ? [] : [[hash, key] as const])))
    },
    async revokeKey(name, by) {
      const found = [...byHash].find(([, key]) => key.name === name && key.revokedAt === null)
      if (found === undefined) return false
      const [hash, key] = found
      byHash.set(hash, { ...key, revokedAt: clock.now().toISOString() })
      note(keyRevoked(name, by))
      return true
    },
  }
}
