import { randomFillSync } from 'node:crypto'
import { type Ids, makeId } from '../ports/ids.ts'

// 32 characters, so that each byte maps to one without bias. No two of them look alike.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const lettersPerId = 16

/** Time first, so that ids of one kind sort by age; then 80 random bits. */
export const randomIds: Ids = createRandomIds()

/** One call for random bytes serves many ids: the call costs more than the rest of an id. */
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
      const end = used + lettersPerId
      while (used < end) {
        random += alphabet.charAt(pool.readUInt8(used) % alphabet.length)
        used += 1
      }
      return makeId(prefix, `${Date.now().toString(36).padStart(9, '0')}${random}`)
    },
  }
}
