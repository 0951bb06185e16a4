import { z } from 'zod'
import { EffectClass, PermissionRule } from '../access/permissions.ts'
import { ApprovalId, ClientCallId, QuestionId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { eventOf } from './envelope.ts'
import { QuestionItem } from './question-item.ts'
import { Unreported } from './unreported.ts'

export const ApprovalDecision = z.enum(['allow', 'allow_session', 'deny'])
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

export const ApprovalRequested = eventOf('ApprovalRequested', {
  approvalId: ApprovalId,
  toolName: z.string(),
  toolUseId: z.string(),
  toolInput: JsonObject,
  /** Tells inputs apart that are only alike without their secrets: keyed, with a key the log never holds. */
  inputHash: z.string().optional(),
  effects: z.array(EffectClass),
  /** Why it is asked: the mode or rule that matched, in words. */
  rule: z.string(),
  /** What "allow for this session" would add, shown on the button. */
  sessionRule: PermissionRule,
  /** Rules that allow more and can be chosen instead, such as every call of an MCP tool; absent where there are none. */
  widerRules: z.array(PermissionRule).optional(),
  expiresAt: z.iso.datetime().nullable(),
  /** Set when the agent re-issued an approved call with another input: both are shown. */
  insteadOf: z.object({ approvalId: ApprovalId, toolInput: JsonObject }).nullable(),
})

export const ApprovalDecided = eventOf('ApprovalDecided', {
  approvalId: ApprovalId,
  decision: ApprovalDecision,
  /** The input that will run; `null` on a denial. */
  toolInput: JsonObject.nullable(),
  /** Of the input that will run. */
  inputHash: z.string().optional(),
  edited: z.boolean(),
  note: z.string().nullable(),
  by: z.string(),
  rule: PermissionRule.nullable(),
  /** False when no process was waiting: the call is asked for again and let through once. */
  wasLive: z.boolean(),
})

export const ApprovalExpired = eventOf('ApprovalExpired', { approvalId: ApprovalId })

/** A re-issued call waits for this question, which an earlier turn left open: from here on the answer is for that turn. */
export const ApprovalTakenUp = eventOf('ApprovalTakenUp', { approvalId: ApprovalId })

/** The agent never re-issued a call that was approved after its process had gone. */
export const ApprovalUnused = eventOf('ApprovalUnused', { approvalId: ApprovalId })

/** A grant was used up by the re-issued call: it can never let a second one through. */
export const ApprovalUsed = eventOf('ApprovalUsed', { approvalId: ApprovalId, toolUseId: z.string() })

/** A rule that "allow for this session" added holds no longer. */
export const SessionRuleRevoked = eventOf('SessionRuleRevoked', { rule: PermissionRule, by: z.string() })

/** The agent (`agent`, through AskUserQuestion) or an MCP server (`mcp`, through elicitation) asks a person. */
export const QuestionAsked = eventOf('QuestionAsked', {
  questionId: QuestionId,
  source: z.enum(['agent', 'mcp']),
  /** The MCP server that asks. */
  server: z.string().nullable(),
  toolUseId: z.string().nullable(),
  /** What an MCP server asks for, in its words. */
  message: z.string(),
  items: z.array(QuestionItem),
  /** The shape an MCP server wants the answer in (a flat JSON Schema object). */
  schema: JsonObject.nullable(),
  /** Where an MCP server wants the person to go. */
  url: z.string().nullable(),
  expiresAt: z.iso.datetime().nullable(),
})

/** `answers`: for an agent by question text, for a server by field name; `null` when the person declined. */
export const QuestionAnswered = eventOf('QuestionAnswered', {
  questionId: QuestionId,
  answers: JsonObject.nullable(),
  note: z.string().nullable(),
  by: z.string(),
  /** False when no process was waiting: the agent is told when it wakes. */
  wasLive: z.boolean(),
})

export const QuestionExpired = eventOf('QuestionExpired', { questionId: QuestionId })

/** The running turn asks what an earlier turn left open: from here on the answer is for this turn. */
export const QuestionTakenUp = eventOf('QuestionTakenUp', { questionId: QuestionId })

/** A tool that a client runs itself. */
export const ClientTool = z
  .object({
    name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a plain name'),
    description: z.string().max(10_000),
    /** JSON Schema of the input: an object. */
    inputSchema: JsonObject,
    /** Its result, unless that is an error, is the end of the turn: the model is not asked again. */
    endsTurn: z.literal(true).optional(),
  })
  .meta({ id: 'ClientTool' })
export type ClientTool = z.infer<typeof ClientTool>

/** A client took its place at this session. Its tools replace what it declared before; the first one there leads. */
export const ClientAttached = eventOf('ClientAttached', {
  clientId: z.string(),
  tools: z.array(ClientTool),
  by: z.string(),
})

export const ClientDetached = eventOf('ClientDetached', { clientId: z.string(), by: z.string() })

export const ClientToolCalled = eventOf('ClientToolCalled', {
  callId: ClientCallId,
  toolName: z.string(),
  toolInput: JsonObject,
  /** As that of an approval; absent in old logs. */
  inputHash: z.string().optional(),
  toolUseId: z.string(),
  /** The client that is to run it; `null` while none is attached. */
  leader: z.string().nullable(),
  /** When an attached client is given up on, and when the parked call is. */
  deadlineAt: z.iso.datetime(),
  parkedUntil: z.iso.datetime(),
})

export const ClientToolReturned = eventOf('ClientToolReturned', {
  callId: ClientCallId,
  output: z.string(),
  isError: z.boolean(),
  by: z.string(),
  wasLive: z.boolean(),
})

/** The running turn makes a call that an earlier turn left open: from here on the result is for this turn. */
export const ClientToolTakenUp = eventOf('ClientToolTakenUp', { callId: ClientCallId })

/** Nobody returned a result in time: the agent is told so. */
export const ClientToolExpired = eventOf('ClientToolExpired', { callId: ClientCallId })

/** The turn was put off before it heard this answer, which was given to it: the agent is told when it goes on. */
export const AnswerMissed = eventOf('AnswerMissed', { answer: Unreported })
