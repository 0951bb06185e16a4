import { z } from 'zod'

/** A whole number in a query: decimal digits over HTTP, a number inside this process. */
export const queryNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    z.int('must be a whole number').min(least).max(most),
  )
