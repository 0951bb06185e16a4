import type { z } from 'zod'
import { QuarterdeckError } from './quarterdeck-error.ts'

/**
 * Parses the input of an operation, or throws `request.invalid` with every issue and its path. `part` names the part of
 * the request that contains the input; an operation that is called in the process has none.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part?: 'body' | 'query' | 'params',
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const prefix = part === undefined ? [] : [part]
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: [...prefix, ...path].join('.'), message }))
  const detail = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
  throw new QuarterdeckError('request.invalid', detail, { facts: { issues } })
}
