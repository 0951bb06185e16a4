// The original has no approvals. Ours enforces the permissions of the agent file: asks are additional frames.
import type { SessionEvent } from '@quarterdeck/protocol'
import type { FrameOut } from './frames.ts'
import { parentOf } from './sdk-messages.ts'

/** The asks sent on this connection, by id, each with its frame while it is open. */
export type Asks = Map<string, FrameOut | null>

/** The frame of an event that asks or settles something; updates `asks`. */
export function askFrame(event: SessionEvent, asks: Asks): FrameOut | null {
  switch (event.type) {
    case 'ApprovalRequested': {
      const { inputHash: _, insteadOf: __, ...data } = event.data
      return opened(asks, data.approvalId, {
        type: 'approval_request',
        data: { ...data, parentToolUseId: parentOf(event) },
      })
    }
    case 'QuestionAsked':
      return opened(asks, event.data.questionId, {
        type: 'question',
        data: { ...event.data, parentToolUseId: parentOf(event) },
      })
    case 'ApprovalDecided':
    case 'ApprovalExpired': {
      const { approvalId } = event.data
      const decision = event.type === 'ApprovalDecided' ? event.data.decision : 'expired'
      asks.set(approvalId, null)
      return { type: 'approval_settled', data: { approvalId, decision } }
    }
    case 'QuestionAnswered':
    case 'QuestionExpired': {
      const { questionId } = event.data
      const how = event.type === 'QuestionExpired' ? 'expired' : event.data.answers === null ? 'declined' : 'answered'
      asks.set(questionId, null)
      return { type: 'question_settled', data: { questionId, how } }
    }
    default:
      return null
  }
}

function opened(asks: Asks, id: string, frame: FrameOut): FrameOut {
  asks.set(id, frame)
  return frame
}
