import type { EventDraft } from '@quarterdeck/protocol'
import type { Redactor } from './redact.ts'

/** The event without secrets, as it is stored. */
export function redactDraft(redactor: Redactor, draft: EventDraft): EventDraft {
  if (draft.type === 'UserMessageQueued') return redactMessage(redactor, draft)
  // The redactor maps strings to strings and leaves the shape alone, so a draft stays a draft of its type.
  return { ...draft, data: redactor.value(draft.data) } as EventDraft
}

/** Images contain no text to redact, and a chance match in their base64 would corrupt them. */
function redactMessage(redactor: Redactor, draft: EventDraft<'UserMessageQueued'>): EventDraft {
  const { images, ...data } = draft.data
  return { ...draft, data: { ...redactor.value(data), ...(images === undefined ? {} : { images }) } }
}
