// Decisions and results of people and clients that arrived while no process was running.
import { z } from 'zod'
import { ApprovalId, ClientCallId, QuestionId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { QuestionItem } from './question-item.ts'

/** The event of the ask: a rewind to before it discards this. Absent in old logs. */
const askedAt = { seq: z.int().optional() }

/** A decision without a waiting process: the agent learns it when it wakes. */
export const UnreportedDecision = z.object({
  type: z.literal('decision'),
  ...askedAt,
  approvalId: ApprovalId,
  isAllowed: z.boolean(),
  toolName: z.string(),
  toolInput: JsonObject,
  inputHash: z.string().optional(),
  note: z.string().nullable(),
  /** Allowed, but stopped with its turn: it is unknown whether it ran, so a person is asked again. */
  mayHaveRun: z.boolean().optional(),
})
export type UnreportedDecision = z.infer<typeof UnreportedDecision>

/** An answer without a waiting process. If the same question is asked again, it already has this answer. */
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

/**
 * A client's result without a waiting process. If the call is repeated with the same input, it already has this result.
 */
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
