import { QuarterdeckError } from '@quarterdeck/protocol'
import type { z } from 'zod'

/** Parses a part of a request, or refuses it with every issue and its path. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: 'body' | 'query' | 'params',
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => ({ path: [part, ...issue.path].join('.'), message: issue.message }))
  const detail = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')
  throw new QuarterdeckError('request.invalid', detail, { facts: { issues } })
}
