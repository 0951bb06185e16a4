// Compares the keys that the audit chain records with the rows that decide what each key may do.
import { z } from 'zod'
import { type AuditRecord, entryOfRecord } from './audit-entry.ts'

/** The terms of a key. */
export interface KeyFacts {
  readonly name: string
  readonly scope: string
  readonly owner: string
  readonly expiresAt: string | null
  readonly requestsPerMinute: number | null
  /** sha256 of the stored token hash: identifies the token, but cannot be used to sign in. */
  readonly tokenFingerprint: string
  readonly isRevoked: boolean
}

export interface KeyProblem {
  /** The last entry about the key; `null` for a key without an entry. */
  readonly seq: number | null
  readonly problem: 'key-altered' | 'key-added' | 'key-removed'
  readonly detail: string
}

/** Entries of earlier versions lack some fields. Missing fields are not compared. */
type RecordedKey = Partial<KeyFacts> & { readonly seq: number }

const KeyDetail = z.object({
  scope: z.string().optional(),
  owner: z.string().optional(),
  expiresAt: z.string().nullable().optional(),
  requestsPerMinute: z.number().nullable().optional(),
  tokenFingerprint: z.string().optional(),
  isRevoked: z.boolean().optional(),
})

const compared = ['scope', 'owner', 'expiresAt', 'requestsPerMinute', 'tokenFingerprint', 'isRevoked'] as const

export function createKeyFold() {
  const recorded = new Map<string, RecordedKey>()

  function adopt(name: string, adopted: RecordedKey): KeyProblem | null {
    const earlier = recorded.get(name)
    recorded.set(name, adopted)
    const field = earlier === undefined ? undefined : differing(earlier, adopted)
    if (field === undefined) return null
    const detail = `key ${name} was adopted with ${field} ${shown(field, adopted)}, but earlier entries say ${shown(field, earlier)}`
    return { seq: adopted.seq, problem: 'key-altered', detail }
  }

  return {
    /** Adds an entry of the chain. Returns a problem if it contradicts an earlier entry. */
    add(record: AuditRecord): KeyProblem | null {
      const { action, subject: name, seq } = record
      if (action === 'key.revoked') recorded.set(name, { ...recorded.get(name), seq, isRevoked: true })
      if (action !== 'key.created' && action !== 'key.adopted') return null
      const { data = {} } = KeyDetail.safeParse(entryOfRecord(record).detail)
      const facts: RecordedKey = { seq, isRevoked: false, ...withTerms(data) }
      if (action === 'key.adopted') return adopt(name, facts)
      recorded.set(name, facts)
      return null
    },
    isAbout: ({ action }: AuditRecord): boolean => action.startsWith('key.'),
    compare(rows: readonly KeyFacts[]): KeyProblem | null {
      const left = new Map(recorded)
      for (const row of rows) {
        const { name } = row
        const key = left.get(name)
        left.delete(name)
        if (key === undefined) {
          const detail = `key ${name} (scope ${row.scope}, owner ${row.owner}) is in the database, but the chain has no entry for it`
          return { seq: null, problem: 'key-added', detail }
        }
        const field = differing(key, row)
        if (field === undefined) continue
        const detail = `key ${name} has ${field} ${shown(field, row)} in the database, but the chain says ${shown(field, key)}`
        return { seq: key.seq, problem: 'key-altered', detail }
      }
      const [gone] = left
      if (gone === undefined) return null
      const [name, { seq }] = gone
      const detail = `key ${name} is in entry ${seq} of the chain, but not in the database`
      return { seq, problem: 'key-removed', detail }
    },
  }
}

/** An entry leaves out terms that are not set. An entry with a scope is of a version that records all terms. */
const withTerms = (detail: z.infer<typeof KeyDetail>): Partial<KeyFacts> =>
  definedOf(detail.scope === undefined ? detail : { expiresAt: null, requestsPerMinute: null, ...detail })

const definedOf = (detail: z.infer<typeof KeyDetail>): Partial<KeyFacts> =>
  Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== undefined))

const differing = (recorded: Partial<KeyFacts>, other: Partial<KeyFacts>) =>
  compared.find((field) => recorded[field] !== undefined && recorded[field] !== other[field])

const shown = (field: (typeof compared)[number], key: Partial<KeyFacts> | undefined): string =>
  JSON.stringify(key?.[field] ?? null)
