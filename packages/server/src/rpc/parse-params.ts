import { QuarterdeckError } from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { RpcParams } from './read-message.ts'

/** Throws `request.invalid` with every issue by where it is and what is wrong. */
export function parseParams<Schema extends z.ZodType>(schema: Schema, params: RpcParams): z.output<Schema> {
  const parsed = schema.safeParse(params)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: ['params', ...path].join('.'), message }))
  const detail = issues.map(({ path, message }) => `${path}: ${message}`).join('; ')
  throw new QuarterdeckError('request.invalid', detail, { facts: { issues } })
}
