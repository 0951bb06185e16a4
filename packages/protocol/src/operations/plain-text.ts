import { z } from 'zod'

/** Text that can be stored, compared and printed: no control characters, no lone surrogates. */
export const plainText = (maxLength: number, problem = 'must be plain text') =>
  z
    .string()
    .max(maxLength)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, problem)
