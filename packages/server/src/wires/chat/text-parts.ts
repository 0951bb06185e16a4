import type { StreamedEvent } from '@quarterdeck/protocol'

interface TextData {
  readonly messageId: string
  readonly text: string
}
type Kind = 'text' | 'thinking'

/**
 * The part of a text that its reader does not have yet. Text arrives in pieces, as the whole so far (for a late or slow
 * reader), and finally as a message. A client concatenates the parts, so it must get each one once.
 */
export function createTextParts() {
  const sent = new Map<string, string>()
  const keyOf = (messageId: string, kind: Kind) => `${kind}:${messageId}`

  function restOf(key: string, whole: string): string {
    const before = sent.get(key) ?? ''
    // Both belong to one growing text; otherwise the latest is sent from its start.
    return whole.startsWith(before) ? whole.slice(before.length) : before.startsWith(whole) ? '' : whole
  }

  return {
    piece({ messageId, text }: TextData, kind: Kind): string {
      const key = keyOf(messageId, kind)
      sent.set(key, (sent.get(key) ?? '') + text)
      return text
    },
    soFar({ messageId, text }: TextData, kind: Kind): string {
      const key = keyOf(messageId, kind)
      const rest = restOf(key, text)
      sent.set(key, text)
      return rest
    },
    /** The text became a message. The same message may have another text after it. */
    whole({ messageId, text }: TextData, kind: Kind): string {
      const key = keyOf(messageId, kind)
      const rest = restOf(key, text)
      sent.delete(key)
      return rest
    },
    /** The text never becomes a message. */
    drop(messageId: string): void {
      sent.delete(keyOf(messageId, 'text'))
      sent.delete(keyOf(messageId, 'thinking'))
    },
    /** Texts that were interrupted with their turn have no end of their own. */
    clear(): void {
      sent.clear()
    },
  }
}

/** Whether it is text of the lead agent: text of subagents is not sent to the client. */
export const isOfLead = ({ agent }: StreamedEvent): boolean => agent === null
