// Cuts the agent's conversation, which may lack messages that its process did not save.
import { isQuarterdeckError, type SessionState, type UnsavedMessage } from '@quarterdeck/protocol'
import type { Branch, BranchPoint } from '../../backends/backend.ts'
import type { PooledBackend } from '../../backends/backend-pool.ts'
import type { FoundMessage } from './find-message.ts'

export interface ConversationCut {
  /** The first one that the conversation has is used. */
  readonly points: readonly BranchPoint[]
  /** Messages before the cut that the conversation may lack. */
  readonly unsaved: readonly UnsavedMessage[]
  /** The agent has answered nothing yet, so it may have saved nothing. */
  readonly mayBeEmpty: boolean
}

type CutState = Pick<SessionState, 'unsaved' | 'lastResult'>

export const isUnsaved = ({ unsaved }: CutState, { messageId }: Pick<FoundMessage, 'messageId'>): boolean =>
  unsaved.some((one) => one.messageId === messageId)

export const cutAtEnd = (state: CutState): ConversationCut => ({
  points: [{ type: 'end' }],
  unsaved: state.unsaved.map(({ origin, delivery, ...message }) => message),
  mayBeEmpty: mayBeEmpty(state),
})

/** A message that was not saved may be in the prompt of a later one, or missing. */
export function cutBefore(state: CutState, message: FoundMessage): ConversationCut {
  const ids = [message.messageId, ...message.repeatedBy]
  const points = ids.map((messageId): BranchPoint => ({ type: 'before', messageId }))
  return {
    points: isUnsaved(state, message) ? [...points, { type: 'end' }] : points,
    unsaved: message.repeated,
    mayBeEmpty: mayBeEmpty(state),
  }
}

const mayBeEmpty = ({ unsaved, lastResult }: CutState): boolean => unsaved.length > 0 && lastResult === null

/** The id of the new conversation, `null` if it is empty. Throws `rewind.unavailable`. */
export async function branchConversation(
  backend: Pick<PooledBackend, 'branch'>,
  branch: Omit<Branch, 'at'>,
  { points, mayBeEmpty: isEmptyAllowed }: ConversationCut,
): Promise<string | null> {
  let refusal: unknown
  for (const at of points) {
    try {
      return await backend.branch({ ...branch, at })
    } catch (error) {
      if (!isQuarterdeckError(error, 'rewind.unavailable')) throw error
      refusal ??= error
    }
  }
  if (isEmptyAllowed) return null
  throw refusal
}
