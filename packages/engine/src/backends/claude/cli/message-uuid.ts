import type { UUID } from 'node:crypto'
import type { UserMessageId } from '@quarterdeck/protocol'
import { hashUuid } from '../../../system/hash-uuid.ts'

/**
 * The id under which the CLI stores a message, so that checkpoints and branches can find it. The CLI silently drops a
 * message whose id it has seen (measured), so each further delivery attempt gets its own id.
 */
export const messageUuid = (messageId: UserMessageId, attempt = 0): UUID => hashUuid(`${messageId}/${attempt}`)

/** After this many attempts a message gets a random id, which cannot be looked up. */
export const knownAttempts = 5

/** Every id under which the message may have been delivered, in order of attempts. */
export const messageUuids = (messageId: UserMessageId): readonly UUID[] =>
  Array.from({ length: knownAttempts }, (_, attempt) => messageUuid(messageId, attempt))
