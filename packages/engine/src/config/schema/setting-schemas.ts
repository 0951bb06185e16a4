// The kinds of values that most settings have.
import { z } from 'zod'

export const text = z.string().trim().min(1, 'must not be blank')

export const httpAddress = z.url({ protocol: /^https?$/, error: 'expected an http or https address' })

/** A setting that may be left out or have no value. `meaning` is its text in the reference. */
export const optionalSetting = <Schema extends z.ZodType>(schema: Schema, meaning: string) =>
  schema.nullish().describe(meaning)

export const booleanSetting = (meaning: string) => optionalSetting(z.boolean(), meaning)
