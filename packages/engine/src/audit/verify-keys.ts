// The keys as the chain tells of them, compared with the rows that decide who may do what.
import { z } from 'zod'
import { type AuditRecord, entryOfRecord } from './audit-entry.ts'

/** The terms of a key, as its row has them. */
export interface KeyFacts {
  readonly name: string
  readonly scope: string
  readonly owner: string
  readonly expiresAt: string | null
  readonly requestsPerMinute: number | null
  /** sha256 of the stored token hash: tells two tokens apart and opens nothing. */
  readonly tokenFingerprint: string
  readonly isRevoked: boolean
}

export interface KeyProblem {
  /** The entry that tells of the key; `null` for a key that no entry tells of. */
  readonly seq: number | null
  readonly problem: 'key-altered' | 'key-added' | 'key-removed'
  readonly detail: string
}

/** Fields that an entry of an earlier version lacks are unknown, so that nothing is compared with them. */
type ToldKey = Partial<KeyFacts> & { readonly seq: number }

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
  const told = new Map<string, ToldKey>()

  function adopt(name: string, adopted: ToldKey): KeyProblem | null {
    const earlier = told.get(name)
    told.set(name, adopted)
    const field = earlier === undefined ? undefined : differing(earlier, adopted)
    if (field === undefined) return null
    const detail = `key ${name} was adopted with ${field} ${shown(field, adopted)}, and earlier entries say ${shown(field, earlier)}`
    return { seq: adopted.seq, problem: 'key-altered', detail }
  }

  return {
    /** Takes in an entry. A problem when it contradicts an earlier one. */
    add(record: AuditRecord): KeyProblem | null {
      const { action, subject: name, seq } = record
      if (action === 'key.revoked') told.set(name, { ...told.get(name), seq, isRevoked: true })
      if (action !== 'key.created' && action !== 'key.adopted') return null
      const { data = {} } = KeyDetail.safeParse(entryOfRecord(record).detail)
      const facts: ToldKey = { seq, isRevoked: false, ...withTerms(data) }
      if (action === 'key.adopted') return adopt(name, facts)
      told.set(name, facts)
      return null
    },
    isAbout: ({ action }: AuditRecord): boolean => action.startsWith('key.'),
    compare(rows: readonly KeyFacts[]): KeyProblem | null {
      const left = new Map(told)
      for (const row of rows) {
        const { name } = row
        const key = left.get(name)
        left.delete(name)
        if (key === undefined) {
          const detail = `key ${name} (scope ${row.scope}, owner ${row.owner}) is in the database, and no entry tells of it`
          return { seq: null, problem: 'key-added', detail }
        }
        const field = differing(key, row)
        if (field === undefined) continue
        const detail = `key ${name} has ${field} ${shown(field, row)} in the database, and the chain says ${shown(field, key)}`
        return { seq: key.seq, problem: 'key-altered', detail }
      }
      const [gone] = left
      if (gone === undefined) return null
      const [name, { seq }] = gone
      return { seq, problem: 'key-removed', detail: `key ${name}, of which entry ${seq} tells, is not in the database` }
    },
  }
}

/** Entries leave out terms that are not set; one with a scope has them all. */
const withTerms = (detail: z.infer<typeof KeyDetail>): Partial<KeyFacts> =>
  definedOf(detail.scope === undefined ? detail : { expiresAt: null, requestsPerMinute: null, ...detail })

const definedOf = (detail: z.infer<typeof KeyDetail>): Partial<KeyFacts> =>
  Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== undefined))

const differing = (told: Partial<KeyFacts>, other: Partial<KeyFacts>) =>
  compared.find((field) => told[field] !== undefined && told[field] !== other[field])

const shown = (field: (typeof compared)[number], key: Partial<KeyFacts> | undefined): string =>
  JSON.stringify(key?.[field] ?? null)
