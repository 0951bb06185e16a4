import { z } from 'zod'
import { EffectClass, PermissionRule } from '../access/tool-permissions.ts'
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
  /** Distinguishes inputs that are equal after redaction: a keyed hash whose key is never in the log. */
  inputHash: z.string().optional(),
  effects: z.array(EffectClass),
  /** The mode or rule that requires the approval, as text. */
  rule: z.string(),
  /** The rule that "allow for this session" would add, shown on the button. */
  sessionRule: PermissionRule,
  /** Wider rules that can be chosen instead, such as every call of an MCP tool; absent if there are none. */
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
  /** False when no process was waiting: the agent is asked to re-issue the call, which is allowed once. */
  wasLive: z.boolean(),
})

/** The call of the running turn that repeats the ask; absent in old logs, and if the backend does not name it. */
const repeatedBy = { toolUseId: z.string().optional() }

export const ApprovalExpired = eventOf('ApprovalExpired', { approvalId: ApprovalId })

/** A re-issued call waits for this approval, which an earlier turn left open: the decision now belongs to that call. */
export const ApprovalTakenUp = eventOf('ApprovalTakenUp', { approvalId: ApprovalId, ...repeatedBy })

/** The agent never re-issued a call that was approved after its process had ended. */
export const ApprovalUnused = eventOf('ApprovalUnused', { approvalId: ApprovalId })

/** The re-issued call used up a grant: it cannot allow a second call. */
export const ApprovalUsed = eventOf('ApprovalUsed', { approvalId: ApprovalId, toolUseId: z.string() })

/** A rule that "allow for this session" added was removed. */
export const SessionRuleRevoked = eventOf('SessionRuleRevoked', { rule: PermissionRule, by: z.string() })

/** The agent (`agent`, through AskUserQuestion) or an MCP server (`mcp`, through elicitation) asks a person. */
export const QuestionAsked = eventOf('QuestionAsked', {
  questionId: QuestionId,
  source: z.enum(['agent', 'mcp']),
  /** The MCP server that asks. */
  server: z.string().nullable(),
  toolUseId: z.string().nullable(),
  /** The request of an MCP server, as it wrote it. */
  message: z.string(),
  items: z.array(QuestionItem),
  /** The schema of the answer to an MCP server (a flat JSON Schema object). */
  schema: JsonObject.nullable(),
  /** The URL that an MCP server asks the person to open. */
  url: z.string().nullable(),
  expiresAt: z.iso.datetime().nullable(),
})

/** `answers`: by question text for an agent, by field name for a server; `null` if the person declined. */
export const QuestionAnswered = eventOf('QuestionAnswered', {
  questionId: QuestionId,
  answers: JsonObject.nullable(),
  note: z.string().nullable(),
  by: z.string(),
  /** False when no process was waiting: the agent learns it when it wakes. */
  wasLive: z.boolean(),
})

export const QuestionExpired = eventOf('QuestionExpired', { questionId: QuestionId })

/** The running turn repeats a question that an earlier turn left open: the answer now belongs to this turn. */
export const QuestionTakenUp = eventOf('QuestionTakenUp', { questionId: QuestionId, ...repeatedBy })

/** A tool that a client runs itself. */
export const ClientTool = z
  .object({
    name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be a plain name'),
    description: z.string().max(10_000),
    /** JSON Schema of the input: an object. */
    inputSchema: JsonObject,
    /** A successful result ends the turn: the model is not called again. */
    endsTurn: z.literal(true).optional(),
  })
  .meta({ id: 'ClientTool' })
export type ClientTool = z.infer<typeof ClientTool>

/** A client attached to this session. Its tools replace those it declared before; the first client leads. */
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
  /** As in an approval; absent in old logs. */
  inputHash: z.string().optional(),
  toolUseId: z.string(),
  /** The client that is to run it; `null` while none is attached. */
  leader: z.string().nullable(),
  /** When the call is taken from an attached client, and when a parked call expires. */
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

/** The running turn repeats a call that an earlier turn left open: the result now belongs to this turn. */
export const ClientToolTakenUp = eventOf('ClientToolTakenUp', { callId: ClientCallId, ...repeatedBy })

/** No result was returned in time: the agent gets that as the result. */
export const ClientToolExpired = eventOf('ClientToolExpired', { callId: ClientCallId })

/** The turn stopped before it received this answer: the agent gets it when it continues. */
export const AnswerMissed = eventOf('AnswerMissed', { answer: Unreported })
