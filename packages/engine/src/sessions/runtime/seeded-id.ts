import { createHash } from 'node:crypto'

/** An id that only its seed decides: whoever asks again with the same seed names the same thing. */
export const seededId = (prefix: 'ses' | 'umsg', seed: string): string =>
  `${prefix}_${createHash('sha256').update(`${prefix} ${seed}`).digest('hex').slice(0, 32)}`
