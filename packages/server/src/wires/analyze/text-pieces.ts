// Text comes in tokens, as a whole so far, and at last as a message. A reader gets each letter once, also one that comes
// back in the middle of it.
import type { AgentStreamToken } from '@quarterdeck/protocol'

type Kind = AgentStreamToken['data']['kind']

export interface TextPieces {
  /** How much of texts that are still open has been shown, earlier connections included. */
  letters(): number
  /** Each returns what of it the reader does not have yet. */
  grow(messageId: string, kind: Kind, more: string): string
  see(messageId: string, kind: Kind, soFar: string): string
  finish(messageId: string, kind: Kind, whole: string): string
  /** What was shown of it never became a message. */
  discard(messageId: string, text: string): void
}

/** `known`: how many letters of what comes next the reader has from before. */
export function createTextPieces(known: number): TextPieces {
  const shown = new Map<string, number>()
  let left = known

  function unknown(text: string): string {
    const skipped = Math.min(left, text.length)
    left -= skipped
    return text.slice(skipped)
  }

  function see(messageId: string, kind: Kind, soFar: string): string {
    const key = `${kind} ${messageId}`
    const before = shown.get(key) ?? 0
    shown.set(key, Math.max(before, soFar.length))
    return unknown(soFar.slice(before))
  }

  return {
    letters: () => [...shown.values()].reduce((sum, length) => sum + length, 0),
    grow(messageId, kind, more) {
      const key = `${kind} ${messageId}`
      shown.set(key, (shown.get(key) ?? 0) + more.length)
      return unknown(more)
    },
    see,
    finish(messageId, kind, whole) {
      const piece = see(messageId, kind, whole)
      shown.delete(`${kind} ${messageId}`)
      return piece
    },
    discard(messageId, text) {
      const isKnown = shown.delete(`text ${messageId}`) || shown.delete(`thinking ${messageId}`)
      if (!isKnown) unknown(text)
    },
  }
}
