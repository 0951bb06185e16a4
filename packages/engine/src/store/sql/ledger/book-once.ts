// An API message is booked once, however many reports of it arrive.
import type { EventDraft } from '@quarterdeck/protocol'

export const apiMessageIdsOf = (drafts: readonly EventDraft[]): readonly string[] =>
  drafts.flatMap((draft) => (draft.type === 'UsageRecorded' ? [draft.data.apiMessageId] : []))

/** The drafts without usage that is already booked, before or earlier in the same list. */
export function withoutBookedUsage(drafts: readonly EventDraft[], booked: Iterable<string>): readonly EventDraft[] {
  const seen = new Set(booked)
  return drafts.filter((draft) => {
    if (draft.type !== 'UsageRecorded') return true
    if (seen.has(draft.data.apiMessageId)) return false
    seen.add(draft.data.apiMessageId)
    return true
  })
}
