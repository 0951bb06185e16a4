import { randomFillSync } from 'node:crypto'
import type { Ids } from '../store/ports/event-store.ts'

// 32 letters, so that a byte maps to one without favouring any; none of them looks like another.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const lettersPerId = 16

/** Time first, so that ids of one kind sort by age; then 80 random bits. */
export const randomIds: Ids = createRandomIds()

/** Asking the system for randomness costs more than the rest of an id: it is asked once for many. */
function createRandomIds(): Ids {
  const pool = Buffer.alloc(4096)
  let used = pool.length
  return {
    next(prefix) {
      if (used + lettersPerId > pool.length) {
        randomFillSync(pool)
        used = 0
      }
      let random = ''
      for (const byte of pool.subarray(used, used + lettersPerId)) random += alphabet.charAt(byte % alphabet.length)
      used += lettersPerId
      return `${prefix}_${Date.now().toString(36).padStart(9, '0')}${random}`
    },
  }
}
