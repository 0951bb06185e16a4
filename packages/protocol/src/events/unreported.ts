// What a person or a client said while no process was there to hear it.
import { z } from 'zod'
import { ApprovalId, ClientCallId, QuestionId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { QuestionItem } from './question-item.ts'

/** Where in the log it was asked for: a rewind to before that forgets it. Absent in old logs. */
const askedAt = { seq: z.int().optional() }

/** A decision no process was there to hear: the agent is told when it wakes. */
export const UnreportedDecision = z.object({
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
export type UnreportedDecision = z.infer<typeof UnreportedDecision>

/** An answer no process was there to hear. Asked again, the same question has it already. */
export const UnreportedAnswer = z.object({
  type: z.literal('answer'),
  ...askedAt,
  questionId: QuestionId,
  message: z.string(),
  items: z.array(QuestionItem),
  answers: JsonObject.nullable(),
  note: z.string().nullable(),
})
export type UnreportedAnswer = z.infer<typeof UnreportedAnswer>

/** A client's result no process was there to take. Called again with the same input, it is there already. */
export const UnreportedResult = z.object({
  type: z.literal('result'),
  ...askedAt,
  callId: ClientCallId,
  toolName: z.string(),
  toolInput: JsonObject,
  inputHash: z.string().optional(),
  output: z.string(),
  isError: z.boolean(),
})
export type UnreportedResult = z.infer<typeof UnreportedResult>

export const Unreported = z.discriminatedUnion('type', [UnreportedDecision, UnreportedAnswer, UnreportedResult])
export type Unreported = z.infer<typeof Unreported>
