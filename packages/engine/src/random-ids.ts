import { randomBytes } from 'node:crypto'
import type { Ids } from './store/event-store.ts'

// 32 letters, so that a byte maps to one without favouring any; none of them looks like another.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** Time first, so that ids of one kind sort by age; then 80 random bits. */
export const randomIds: Ids = {
  next(prefix) {
    const random = Array.from(randomBytes(16), (byte) => alphabet[byte % alphabet.length]).join('')
    return `${prefix}_${Date.now().toString(36).padStart(9, '0')}${random}`
  },
}
