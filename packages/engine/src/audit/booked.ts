// The fields of one model request that an audit entry and the ledger share.
import { TokenCounts } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { AuditRecord } from './audit-entry.ts'

export const Booked = z.object({ costUsd: z.number().nullable(), units: z.number().default(0), tokens: TokenCounts })
export type Booked = z.infer<typeof Booked>

/** A name with characters that the database cannot store differs in the chain: such a booking cannot be looked up. */
export const isBooking = ({ action, subject }: Pick<AuditRecord, 'action' | 'subject'>): boolean =>
  action === 'UsageRecorded' && !subject.includes('\ufffd')

/** `null` for a detail without a booking. */
export const bookedIn = (detail: unknown): Booked | null => Booked.safeParse(detail).data ?? null

export const sameBooking = (one: Booked, other: Booked | null): boolean =>
  other !== null && numbersOf(one).every((number, index) => number === numbersOf(other)[index])

const numbersOf = ({ costUsd, units, tokens }: Booked) => [
  ...[costUsd, units],
  ...[tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite],
]
