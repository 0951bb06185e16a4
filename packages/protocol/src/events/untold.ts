// What a person or a client said while no process was there to hear it.
import { z } from 'zod'
import { ApprovalId, ClientCallId, QuestionId } from '../ids.ts'
import { JsonObject } from '../json.ts'
import { QuestionItem } from './question-item.ts'

/** Where in the log it was asked for: a rewind to before that forgets it. Absent in old logs. */
const askedAt = { seq: z.int().optional() }

/** A decision no process was there to hear: the agent is told when it wakes. */
export const UntoldDecision = z.object({
  type: z.literal('decision'),
  ...askedAt,
  approvalId: ApprovalId,
  isAllowed: z.boolean(),
  toolName: z.string(),
  toolInput: JsonObject,
  inputHash: z.string().optional(),
  note: z.string().nullable(),
  /** Allowed, and stopped with its turn: nobody knows whether it has run, so a person is asked again. */
  mayHaveRun: z.boolean().optional(),
})
export type UntoldDecision = z.infer<typeof UntoldDecision>

/** An answer no process was there to hear. Asked again, the same question has it already. */
export const UntoldAnswer = z.object({
  type: z.literal('answer'),
  ...askedAt,
  questionId: QuestionId,
  message: z.string(),
  items: z.array(QuestionItem),
  answers: JsonObject.nullable(),
  note: z.string().nullable(),
})
export type UntoldAnswer = z.infer<typeof UntoldAnswer>

/** A client's result no process was there to take. Called again with the same input, it is there already. */
export const UntoldResult = z.object({
  type: z.literal('result'),
  ...askedAt,
  callId: ClientCallId,
  toolName: z.string(),
  toolInput: JsonObject,
  inputHash: z.string().optional(),
  output: z.string(),
  isError: z.boolean(),
})
export type UntoldResult = z.infer<typeof UntoldResult>

export const Untold = z.discriminatedUnion('type', [UntoldDecision, UntoldAnswer, UntoldResult])
export type Untold = z.infer<typeof Untold>
