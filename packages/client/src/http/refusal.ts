// The refusal of a server as the error that the caller gets.

import { type ErrorCode, type ErrorFacts, isQuarterdeckError, Problem, QuarterdeckError } from '@quarterdeck/protocol'
import { z } from 'zod'

/** The problem of a newer server, with a code that this client does not know. Its message is still readable. */
const ForeignProblem = z.looseObject({ code: z.string(), detail: z.string() })

export function refusalOf(status: number, value: unknown): QuarterdeckError {
  const problem = Problem.safeParse(value)
  if (problem.success)
    return new QuarterdeckError(problem.data.code, problem.data.detail, { facts: factsOf(problem.data) })
  const code = codeOf(status)
  const foreign = ForeignProblem.safeParse(value)
  if (foreign.success) return new QuarterdeckError(code, foreign.data.detail, { facts: factsOf(foreign.data) })
  return new QuarterdeckError(code, `the server answered ${status} without an explanation`)
}

/** The whole problem of the server: callers read the fields of its facts, and the code of a newer server. */
const factsOf = (problem: Readonly<Record<string, unknown>>) => problem as ErrorFacts

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
