// What a server that refuses says, as the error the caller gets.

import { type ErrorCode, Problem, QuarterdeckError } from '@quarterdeck/protocol'
import { z } from 'zod'

/** A problem whose code this client does not know: its server is newer, and its sentence is still for people. */
const ForeignProblem = z.looseObject({ code: z.string(), detail: z.string() })

export function refusalOf(status: number, value: unknown): QuarterdeckError {
  const problem = Problem.safeParse(value)
  if (problem.success) return new QuarterdeckError(problem.data.code, problem.data.detail, { facts: problem.data })
  const code = codeOf(status)
  const foreign = ForeignProblem.safeParse(value)
  if (foreign.success) return new QuarterdeckError(code, foreign.data.detail, { facts: foreign.data })
  return new QuarterdeckError(code, `the server answered ${status} without an explanation`)
}

/** Of an answer that is not Quarterdeck's own, but of a proxy in between, for example. */
function codeOf(status: number): ErrorCode {
  if (status === 429) return 'request.rate-limited'
  return status >= 400 && status < 500 ? 'request.invalid' : 'internal'
}

/** Whether trying again would get the same: a 4xx is an answer, not an outage, but for those that ask for patience. */
export const isFinalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 425, 429].includes(status)

/** Of a stream that was not opened. Only an answer is a `QuarterdeckError`. */
export async function refuseStream(response: Response): Promise<never> {
  if (!isFinalStatus(response.status)) throw new Error(`the stream answered ${response.status}`)
  throw refusalOf(response.status, await response.json().catch(() => null))
}
