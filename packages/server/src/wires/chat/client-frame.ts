// Reads client frames like the original server: `type` decides, and a frame without a known type is a message.
import {
  AnswerQuestionBody,
  ApprovalId,
  DecideApprovalBody,
  messageLimit,
  parseJson,
  QuestionId,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import type { Frame } from '../../transports/socket.ts'

export type ClientFrame =
  | { readonly type: 'message'; readonly content: string }
  | { readonly type: 'reset' }
  | { readonly type: 'model_change'; readonly model: string }
  | { readonly type: 'interrupt' }
  | { readonly type: 'approval'; readonly id: ApprovalId; readonly body: z.output<typeof DecideApprovalBody> }
  | { readonly type: 'answer'; readonly id: QuestionId; readonly body: z.output<typeof AnswerQuestionBody> }
  /** Answered with this text. */
  | { readonly type: 'refused'; readonly words: string }

const refused = (words: string): ClientFrame => ({ type: 'refused', words })

const notUnderstood = refused('Invalid JSON format. Expected: {"message": "your message"}')

/** Never throws. */
export function readClientFrame(frame: Frame): ClientFrame {
  if (frame.type === 'too-large') return refused(`Error: a frame of ${frame.bytes} bytes is too large: send less`)
  const value = frame.type === 'text' ? parseJson(frame.text) : undefined
  const fields = z.record(z.string(), z.unknown()).safeParse(value)
  if (!fields.success) return notUnderstood
  switch (fields.data.type) {
    case 'model_change':
      return readModelChange(fields.data.model)
    case 'reset':
      return { type: 'reset' }
    case 'interrupt':
      return { type: 'interrupt' }
    case 'approval':
      return readApproval(fields.data)
    case 'answer':
      return readAnswer(fields.data)
    default:
      return readMessage(fields.data.message)
  }
}

/** Blank, or only invisible characters. */
const isBlank = /^[\s\p{Cc}\p{Cf}]*$/u

function readMessage(message: unknown): ClientFrame {
  if (message === undefined || message === null) return refused('Empty message received')
  if (typeof message !== 'string') return notUnderstood
  if (isBlank.test(message)) return refused('Empty message received')
  if (message.length <= messageLimit) return { type: 'message', content: message }
  return refused(`Error processing message: it is longer than ${messageLimit} characters`)
}

function readModelChange(model: unknown): ClientFrame {
  if (typeof model === 'string' && model.trim() !== '') return { type: 'model_change', model: model.trim() }
  return refused('Failed to switch model: say which one, as {"type": "model_change", "model": "auto"}')
}

function readApproval({ type: _, id, ...rest }: Readonly<Record<string, unknown>>): ClientFrame {
  const approvalId = ApprovalId.safeParse(id)
  const body = DecideApprovalBody.safeParse(rest)
  if (approvalId.success && body.success) return { type: 'approval', id: approvalId.data, body: body.data }
  return refused(
    'Error: an approval is {"type": "approval", "id": "apr_…", "decision": "allow" | "allow_session" | "deny"}',
  )
}

function readAnswer({ type: _, id, ...rest }: Readonly<Record<string, unknown>>): ClientFrame {
  const questionId = QuestionId.safeParse(id)
  const body = AnswerQuestionBody.safeParse(rest)
  if (questionId.success && body.success) return { type: 'answer', id: questionId.data, body: body.data }
  return refused('Error: an answer is {"type": "answer", "id": "qst_…", "answers": {…} | null}')
}
