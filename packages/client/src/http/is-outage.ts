import { type ErrorCode, isQuarterdeckError } from '@quarterdeck/protocol'

const outages: ReadonlySet<ErrorCode> = new Set([
  ...(['server.unreachable', 'server.draining', 'store.unavailable'] as const),
  ...(['request.rate-limited', 'internal'] as const),
])

/** Asked again it may be answered: what the server refuses for good is a `QuarterdeckError` of another code. */
export const isOutage = (error: unknown): boolean => !isQuarterdeckError(error) || outages.has(error.code)
