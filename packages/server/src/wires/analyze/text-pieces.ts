// Text arrives as tokens, as the whole text so far, and finally as a message. A reader gets each character once, even
// if it returns in the middle.
import type { AgentStreamToken } from '@quarterdeck/protocol'

type Kind = AgentStreamToken['data']['kind']

/** `known`: how many of the next characters the reader already has. */
export function createTextPieces(known: number) {
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
    /** How much of unfinished texts was sent, including on earlier connections. */
    textLength: (): number => [...shown.values()].reduce((sum, length) => sum + length, 0),
    /** Each returns the part that the reader does not have yet. */
    grow(messageId: string, kind: Kind, more: string): string {
      const key = `${kind} ${messageId}`
      shown.set(key, (shown.get(key) ?? 0) + more.length)
      return unknown(more)
    },
    see,
    finish(messageId: string, kind: Kind, whole: string): string {
      const piece = see(messageId, kind, whole)
      shown.delete(`${kind} ${messageId}`)
      return piece
    },
    /** The text sent so far never became a message. */
    discard(messageId: string, text: string) {
      const isKnown = shown.delete(`text ${messageId}`) || shown.delete(`thinking ${messageId}`)
      if (!isKnown) unknown(text)
    },
  }
}
