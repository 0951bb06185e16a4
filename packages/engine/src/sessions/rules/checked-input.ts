import { QuarterdeckError } from '@quarterdeck/protocol'
import type { z } from 'zod'

/** Checks a caller's input: a server has checked it before, a command line has not. */
export function checkedInput<Schema extends z.ZodType>(schema: Schema, input: z.input<Schema>): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  throw new QuarterdeckError('request.invalid', problems.join('; '))
}
