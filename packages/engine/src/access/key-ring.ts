// API keys by name, each with its permissions. A token is shown once; only its hash is stored.
import { createHash, randomBytes } from 'node:crypto'
import {
  type CreateKeyBody,
  createEmitter,
  type Implementations,
  type KeySummary,
  keyOperations,
  type ParsingMethods,
  type Principal,
  QuarterdeckError,
  withParsedInput,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import { findShapes } from '../redaction/secret-shapes.ts'
import type { AccessKey, KeyStore } from '../store/ports/key-store.ts'
import type { MoneyStore, StoredBudget } from '../store/ports/money-store.ts'

export type KeyOperations = Implementations<typeof keyOperations>

/** The name of a revoked key stays reserved, because the log uses it. */
export interface KeyRing extends ParsingMethods<typeof keyOperations> {
  /** The key of a token, or `null` if the token is unknown, revoked or expired. */
  find(token: string): Promise<Principal | null>
  /** Which of these tokens are still valid, and until when. One query for all of them. */
  holding(tokens: readonly string[]): Promise<ReadonlyMap<string, { readonly msLeft: number }>>
  /**
   * Called after each revocation through this key ring only, not by other processes. Returns the unsubscribe function.
   */
  onRevoked(listener: () => void): () => void
}

export interface KeyRingOptions {
  readonly store: KeyStore & Pick<MoneyStore, 'listBudgets'>
  readonly ids: Ids
  readonly clock: Clock
}

/** The key ring, and its operations for callers that have parsed the input. */
export function createKeyRing({ store, ids, clock }: KeyRingOptions) {
  const revoked = createEmitter()
  const isHolding = ({ revokedAt, expiresAt }: AccessKey): boolean =>
    revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > clock.now().getTime())

  function budgetOf({ name, budget }: KeyTerms, by: string): StoredBudget | null {
    if (budget == null) return null
    const id = ids.next('bud')
    const about = { scope: 'key', subject: name, period: budget.period, unit: 'usd', limit: budget.limitUsd } as const
    return { id, ...about, createdAt: clock.now().toISOString(), createdBy: by }
  }

  const operations: KeyOperations = {
    async createKey(terms, by) {
      requireUsableTerms(terms, clock.now())
      const { name, scope, owner = name, requestsPerMinute = null } = terms
      const expiresAt = terms.expiresAt == null ? null : new Date(terms.expiresAt).toISOString()
      const token = `qd-key-${randomBytes(32).toString('base64url')}`
      const named = { id: ids.next('key'), name, hash: hashOf(token) }
      const budget = budgetOf(terms, by)
      const key = await store.createKey({ ...named, scope, owner, expiresAt, requestsPerMinute, budget }, by)
      return { ...key, budgets: budget === null ? [] : [inShort(budget)], token }
    },
    async listKeys() {
      const [keys, budgets] = await Promise.all([store.listKeys(), store.listBudgets()])
      const isOf = (name: string) => (budget: StoredBudget) => budget.scope === 'key' && budget.subject === name
      return { keys: keys.map((key) => ({ ...key, budgets: budgets.filter(isOf(key.name)).map(inShort) })) }
    },
    async revokeKey(name, by) {
      if (!(await store.revokeKey(name, by))) {
        throw new QuarterdeckError('key.not-found', `no key with the name "${name}" is in use`)
      }
      revoked.emit()
      return { name }
    },
  }

  const keys: KeyRing = {
    ...withParsedInput<ParsingMethods<typeof keyOperations>>(keyOperations, operations),
    async find(token) {
      const key = await store.findKey(hashOf(token))
      if (key === null || !isHolding(key)) return null
      const { name, owner, scope, requestsPerMinute } = key
      return { name, owner, scope, requestsPerMinute }
    },
    async holding(tokens) {
      const byHash = new Map(tokens.map((token) => [hashOf(token), token]))
      const holding = new Map<string, { msLeft: number }>()
      for (const [hash, key] of await store.findKeys([...byHash.keys()])) {
        const token = byHash.get(hash)
        if (token === undefined || !isHolding(key)) continue
        const { expiresAt } = key
        const now = clock.now().getTime()
        holding.set(token, { msLeft: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now })
      }
      return holding
    },
    onRevoked: revoked.listen,
  }
  return { keys, operations }
}

type KeyTerms = z.output<typeof CreateKeyBody>

/** The log and the audit chain use these names for the owner of the data folder and for automatic actions. */
const reserved: ReadonlySet<string> = new Set(['operator', 'quarterdeck', 'clock', 'agent', 'engine', 'nobody'])

function requireUsableTerms(terms: KeyTerms, now: Date): void {
  if ([terms.name, terms.owner ?? ''].some((name) => findShapes(name).length > 0)) {
    const detail = 'this name looks like a key, and names are stored in plain text: choose another name'
    throw new QuarterdeckError('request.invalid', detail)
  }
  if (reserved.has(terms.name.toLowerCase())) {
    throw new QuarterdeckError('key.exists', `"${terms.name}" is reserved for Quarterdeck: choose another name`)
  }
  if (terms.expiresAt != null && Date.parse(terms.expiresAt) <= now.getTime()) {
    throw new QuarterdeckError('request.invalid', `expiresAt ${terms.expiresAt} is in the past`)
  }
}

const inShort = ({ limit, unit, period }: StoredBudget): KeySummary['budgets'][number] => ({ limit, unit, period })

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
