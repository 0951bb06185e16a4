import { createHash, type UUID } from 'node:crypto'
import type { UserMessageId } from '@quarterdeck/protocol'

/**
 * The id under which the CLI knows a message of ours, so that checkpoints and branches find it again. The CLI silently
 * drops a message whose id it has seen (measured), so each further attempt at delivering one has an id of its own.
 */
export function messageUuid(messageId: UserMessageId, attempt = 0): UUID {
  const hex = createHash('sha256').update(`${messageId}/${attempt}`).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Beyond these a message is delivered under an id that nobody looks for. */
export const knownAttempts = 5

/** Every id the message may have been delivered under, the first one first. */
export const messageUuids = (messageId: UserMessageId): readonly UUID[] =>
  Array.from({ length: knownAttempts }, (_, attempt) => messageUuid(messageId, attempt))
