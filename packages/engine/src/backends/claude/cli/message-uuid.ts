import { createHash, type UUID } from 'node:crypto'
import type { UserMessageId } from '@quarterdeck/protocol'

/**
 * The id under which the CLI stores a message, so that checkpoints and branches can find it. The CLI silently drops a
 * message whose id it has seen (measured), so each further delivery attempt gets its own id.
 */
export function messageUuid(messageId: UserMessageId, attempt = 0): UUID {
  const hex = createHash('sha256').update(`${messageId}/${attempt}`).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** After this many attempts a message gets a random id, which cannot be looked up. */
export const knownAttempts = 5

/** Every id under which the message may have been delivered, in order of attempts. */
export const messageUuids = (messageId: UserMessageId): readonly UUID[] =>
  Array.from({ length: knownAttempts }, (_, attempt) => messageUuid(messageId, attempt))
