// Compares the sums that budgets use with their bookings. verify-audit.ts compares the bookings with the chain.
import type { ChainVerdict } from './verify-audit.ts'

type Scope = 'all' | 'agent' | 'user' | 'key'

interface Sum {
  readonly usd: number
  readonly units: number
}

/** The data needed for the comparison; every store provides it. */
export interface LedgerSumSource {
  usage(query: {
    readonly groupBy: readonly ('agent' | 'user' | 'key')[]
  }): Promise<
    readonly {
      readonly group: { readonly agent?: string; readonly user?: string; readonly key?: string }
      readonly costUsd: number
      readonly units: number
    }[]
  >
  spentByEach(query: { readonly scope: Scope; readonly from: null }): Promise<ReadonlyMap<string, Sum>>
}

const groupOf = { agent: ['agent'], user: ['user'], key: ['key'], all: [] } as const

/** Returns the first wrong sum. Bookings may be added meanwhile: a sum is read before and after the bookings. */
export async function verifyLedgerSums(source: LedgerSumSource, entries: number): Promise<ChainVerdict | null> {
  for (const scope of ['all', 'agent', 'user', 'key'] as const) {
    const before = await source.spentByEach({ scope, from: null })
    const booked = await bookedByEach(source, scope)
    const after = await source.spentByEach({ scope, from: null })
    for (const subject of new Set([...before.keys(), ...booked.keys()])) {
      const least = before.get(subject) ?? nothing
      const sum = booked.get(subject) ?? nothing
      const most = after.get(subject) ?? nothing
      if (isBetween(least.usd, sum.usd, most.usd) && isBetween(least.units, sum.units, most.units)) continue
      const who = scope === 'all' ? 'everybody' : `${scope} ${subject}`
      const detail = `the spending of ${who} is stored as $${most.usd}, but the bookings add up to $${sum.usd}`
      return { ok: false, seq: entries, problem: 'books-altered', detail }
    }
  }
  return null
}

const nothing = { usd: 0, units: 0 }

async function bookedByEach(source: LedgerSumSource, scope: Scope) {
  const rows = await source.usage({ groupBy: groupOf[scope] })
  return new Map(
    rows.map(({ group, costUsd: usd, units }) => [scope === 'all' ? '' : (group[scope] ?? ''), { usd, units }]),
  )
}

/** The same numbers added in another order differ slightly. */
function isBetween(least: number, sum: number, most: number): boolean {
  const hair = 1e-6 * Math.max(1, Math.abs(sum))
  return least - hair <= sum && sum <= most + hair
}
