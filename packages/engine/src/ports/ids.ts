import { randomFillSync } from 'node:crypto'
import type {
  ApprovalId,
  BudgetId,
  ClientCallId,
  EventId,
  QuestionId,
  SessionId,
  TurnId,
  UserMessageId,
} from '@quarterdeck/protocol'

/** The type of an id by its prefix. */
export interface IdOf {
  readonly ses: SessionId
  readonly evt: EventId
  readonly trn: TurnId
  readonly umsg: UserMessageId
  readonly apr: ApprovalId
  readonly qst: QuestionId
  readonly ctc: ClientCallId
  readonly bud: BudgetId
  readonly key: string
  readonly dlv: string
}

/** Passed in, so that tests choose the ids. */
export interface Ids {
  next<Prefix extends keyof IdOf>(prefix: Prefix): IdOf[Prefix]
}

/** The only cast to a branded id. `unique` must be 6 to 64 letters or digits. */
export const makeId = <Prefix extends keyof IdOf>(prefix: Prefix, unique: string): IdOf[Prefix] =>
  `${prefix}_${unique}` as IdOf[Prefix]

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
      for (const byte of pool.subarray(used, used + lettersPerId)) random += alphabet.charAt(byte % alphabet.length)
      used += lettersPerId
      return makeId(prefix, `${Date.now().toString(36).padStart(9, '0')}${random}`)
    },
  }
}
