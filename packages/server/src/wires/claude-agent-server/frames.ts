// The frames of this wire. Out: those of the original, and additions with their own types. In: the frames of clients.
import {
  AnswerQuestionBody,
  ApprovalDecision,
  ApprovalId,
  type JsonObject,
  QuestionId,
  SendMessageBody,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import type { SdkMessage } from './sdk-message.ts'

export type FrameOut =
  | { readonly type: 'connected' }
  | { readonly type: 'sdk_message'; readonly data: SdkMessage }
  | { readonly type: 'error'; readonly error: string; readonly data: string }
  | { readonly type: 'info'; readonly data: string }
  | {
      readonly type: 'approval_request' | 'approval_settled' | 'question' | 'question_settled'
      readonly data: JsonObject
    }

/** Clients of the original read `error`, clients of its documentation `data`. */
export const errorFrame = (error: string): FrameOut => ({ type: 'error', error, data: error })

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() })
const ImageBlock = z.looseObject({
  type: z.literal('image'),
  source: z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
})

const UserMessage = z.looseObject({
  type: z.literal('user'),
  session_id: z.string().nullish(),
  parent_tool_use_id: z.null('messages go to the lead agent: must be null').optional(),
  message: z.looseObject({
    role: z.literal('user'),
    content: z.union(
      [z.string(), z.array(z.discriminatedUnion('type', [TextBlock, ImageBlock])).max(1000)],
      'must be a string, or a list of blocks of type text or image (base64)',
    ),
  }),
})

export const FrameIn = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('user_message'), data: UserMessage }),
  z.looseObject({ type: z.literal('interrupt') }),
  z.looseObject({
    type: z.literal('approval_response'),
    data: z.strictObject({
      approvalId: ApprovalId,
      decision: ApprovalDecision,
      note: z.string().max(10_000).optional(),
    }),
  }),
  z.looseObject({ type: z.literal('question_response'), data: AnswerQuestionBody.extend({ questionId: QuestionId }) }),
])
export type FrameIn = z.infer<typeof FrameIn>

export const frameTypes: ReadonlySet<unknown> = new Set(FrameIn.options.map((option) => option.shape.type.value))

export type ClientMessage = Pick<SendMessageBody, 'content' | 'images'>

/** The text and images of a message. Throws a `ZodError` for values that the engine would refuse. */
export function messageOf({ message: { content } }: z.infer<typeof UserMessage>): ClientMessage {
  if (typeof content === 'string') return SendMessageBody.parse({ content })
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  const images = content.flatMap((block) =>
    block.type === 'image' ? [{ mediaType: block.source.media_type, data: block.source.data }] : [],
  )
  return SendMessageBody.parse({ content: text, ...(images.length === 0 ? {} : { images }) })
}
