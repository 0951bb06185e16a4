// The refusal of a server as the error that the caller gets.

import {
  type ErrorCode,
  type ErrorFacts,
  errorCodes,
  isQuarterdeckError,
  QuarterdeckError,
} from '@quarterdeck/protocol'
import { z } from 'zod'

/** The part of a problem that an error needs. The code may be one that only newer servers know. */
const ReadableProblem = z.looseObject({ code: z.string(), detail: z.string() })
const KnownCode = z.enum(errorCodes)

export const refusalOf = (status: number, value: unknown): QuarterdeckError =>
  explainedRefusal(status, value) ??
  new QuarterdeckError(codeOf(status), `the server answered ${status} without an explanation`)

/** `null` for a value that is not a problem. An unknown code becomes the fact `foreignCode`. */
export function explainedRefusal(status: number, value: unknown): QuarterdeckError | null {
  const { data: problem } = ReadableProblem.safeParse(value)
  if (problem === undefined) return null
  const { code: foreignCode, detail } = problem
  const { data: code } = KnownCode.safeParse(foreignCode)
  const facts = factsOf(problem)
  if (code !== undefined) return new QuarterdeckError(code, detail, { facts })
  return new QuarterdeckError(codeOf(status), detail, { facts: { ...facts, foreignCode } })
}

function factsOf({ type, title, status, code, detail, instance, ...facts }: z.infer<typeof ReadableProblem>) {
  return facts as ErrorFacts // an index signature cannot express that these names are absent
}

/** For answers that are not from Quarterdeck, for example from a proxy. */
function codeOf(status: number): ErrorCode {
  if (status === 429) return 'request.rate-limited'
  return status >= 400 && status < 500 ? 'request.invalid' : 'internal'
}

/** Whether a retry would get the same answer: true for 4xx, except those that ask to wait. */
export const isFinalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 425, 429].includes(status)

/** For a stream that was not opened. Only a permanent refusal becomes a `QuarterdeckError`. */
export async function refuseStream(response: Response): Promise<never> {
  if (!isFinalStatus(response.status)) throw new Error(`the stream answered ${response.status}`)
  throw refusalOf(response.status, await response.json().catch(() => null))
}

const outages: ReadonlySet<ErrorCode> = new Set([
  ...(['server.unreachable', 'server.draining', 'store.unavailable'] as const),
  ...(['request.rate-limited', 'internal'] as const),
])

/** Whether a retry may succeed. Permanent refusals are `QuarterdeckError`s with other codes. */
export const isOutage = (error: unknown): boolean => !isQuarterdeckError(error) || outages.has(error.code)
