import type { StreamedEvent } from '@quarterdeck/protocol'

interface TextData {
  readonly messageId: string
  readonly text: string
}
type Kind = 'text' | 'thinking'

/**
 * What of a text its reader does not have yet. A text comes in pieces, or whole so far (to a reader who comes late or
 * fell behind), and at last whole as a message: a client puts together what it gets and must get every piece once.
 */
export function createTextParts() {
  const sent = new Map<string, string>()
  const keyOf = (messageId: string, kind: Kind) => `${kind}:${messageId}`

  function restOf(key: string, whole: string): string {
    const before = sent.get(key) ?? ''
    // Both are of one text that only grows; where they are not, what came last is told from its beginning.
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
    /** It is a message now. The same message may have another text after this one. */
    whole({ messageId, text }: TextData, kind: Kind): string {
      const key = keyOf(messageId, kind)
      const rest = restOf(key, text)
      sent.delete(key)
      return rest
    },
    /** It never becomes a message. */
    drop(messageId: string): void {
      sent.delete(keyOf(messageId, 'text'))
      sent.delete(keyOf(messageId, 'thinking'))
    },
    /** Texts that were cut off with their turn have no end of their own. */
    clear(): void {
      sent.clear()
    },
  }
}

/** Whether it is the lead agent's own: what its subagents say to it is not said to the client. */
export const isOfLead = ({ agent }: StreamedEvent): boolean => agent === null
