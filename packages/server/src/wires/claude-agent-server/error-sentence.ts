// The error text for a client: one sentence, with the wording of the original if it has one.
import { isQuarterdeckError } from '@quarterdeck/protocol'
import { ZodError } from 'zod'

export const isExpected = (error: unknown): boolean =>
  error instanceof ZodError || (isQuarterdeckError(error) && error.code !== 'internal')

export function sentenceOf(error: unknown): string {
  if (error instanceof ZodError) return `Invalid message format: ${issuesOf(error)}`
  return isQuarterdeckError(error) && error.code !== 'internal' ? error.message : 'Unknown error'
}

const maxIssues = 5

export const issuesOf = ({ issues }: ZodError): string =>
  issues
    .slice(0, maxIssues)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ')
