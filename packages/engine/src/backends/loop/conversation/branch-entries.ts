import { QuarterdeckError } from '@quarterdeck/protocol'
import type { BranchPoint } from '../../backend.ts'
import type { Entry } from './entry.ts'

/** The beginning of a conversation up to a point of it. Throws `rewind.unavailable` where there is no such point. */
export function branchEntries(entries: readonly Entry[], at: BranchPoint): readonly Entry[] {
  if (at.type === 'end') return entries
  const index = entries.findIndex((entry) =>
    at.type === 'before'
      ? entry.type === 'prompt' && entry.messageId === at.messageId
      : entry.type === 'answer' && entry.messageId === at.messageId,
  )
  if (index < 0) throw new QuarterdeckError('rewind.unavailable', `the conversation has no message ${at.messageId}`)
  return entries.slice(0, at.type === 'before' ? index : index + 1)
}
