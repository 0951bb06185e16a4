// What the agent has forgotten: after a rewind the log still has it, the conversation does not.
import type { SessionEvent, TranscriptItem } from '@quarterdeck/protocol'

export interface Rewind {
  /** The message the conversation went back in front of. */
  readonly messageId: string
  readonly seq: number
}

export function foldRewinds(rewinds: readonly Rewind[], events: readonly SessionEvent[]): readonly Rewind[] {
  const more = events.flatMap((event) =>
    event.type === 'AgentSessionRewound' ? [{ messageId: event.data.messageId, seq: event.seq }] : [],
  )
  return more.length === 0 ? rewinds : [...rewinds, ...more]
}

/** Keys of the items the conversation no longer has. */
export function forgottenKeys(items: readonly TranscriptItem[], rewinds: readonly Rewind[]): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { messageId, seq } of rewinds) {
    const from = items.findIndex((item) => item.key === messageId)
    if (from === -1) continue
    for (const item of items.slice(from)) if (item.seq !== null && item.seq < seq) keys.add(item.key)
  }
  return keys
}
