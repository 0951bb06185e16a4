import { createHash, timingSafeEqual } from 'node:crypto'

/** Takes the same time whatever differs, the length included. */
export const secretsEqual = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
