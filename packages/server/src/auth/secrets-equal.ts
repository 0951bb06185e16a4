import { createHash, timingSafeEqual } from 'node:crypto'

/** Constant time, even for different lengths. */
export const secretsEqual = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
