// The ids that stand in paths, by their names there.
import { z } from 'zod'
import { AgentName } from '../agents/agent-definition.ts'
import { type ErrorCode, QuarterdeckError } from '../errors/quarterdeck-error.ts'
import { ApprovalId, BudgetId, ClientCallId, QuestionId, SessionId, UserMessageId } from '../values/ids.ts'
import { plainText } from './plain-text.ts'

/** Of a key and of an owner. */
export const KeyName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9._@-]{0,63}$/,
    'must be a letter, followed by up to 63 letters, digits, dots, dashes, @ or _',
  )

/** A client chooses its own. */
export const ClientId = z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/, 'must be a plain name')

interface PathId {
  readonly schema: z.ZodType<string>
  /** A malformed id gets the same answer as an unknown one: this error, or with `null` that of the implementation. */
  readonly notFound: ErrorCode | null
  /** The address that lists the ids that exist. */
  readonly list: string
}

const ofSession = 'GET /v1/sessions/{sessionId}'

export const pathIds = {
  sessionId: {
    schema: SessionId,
    notFound: 'session.not-found',
    list: 'GET /v1/sessions or "quarterdeck sessions list"',
  },
  approvalId: { schema: ApprovalId, notFound: 'approval.not-found', list: 'GET /v1/approvals' },
  questionId: { schema: QuestionId, notFound: 'question.not-found', list: 'GET /v1/questions' },
  callId: { schema: ClientCallId, notFound: 'client-call.not-found', list: `${ofSession}/client-calls` },
  messageId: { schema: UserMessageId, notFound: 'message.not-found', list: `${ofSession}/messages` },
  agentId: { schema: plainText(200).min(1), notFound: 'subagent.not-found', list: ofSession },
  clientId: { schema: ClientId, notFound: null, list: ofSession }, // detaching an unknown client changes nothing
  budgetId: { schema: BudgetId, notFound: 'budget.not-found', list: 'GET /v1/budgets' },
  keyName: { schema: KeyName, notFound: 'key.not-found', list: 'GET /v1/keys or "quarterdeck keys list"' },
  name: { schema: AgentName, notFound: 'agent.not-found', list: 'GET /v1/agents' },
} as const satisfies Record<string, PathId>

/** Throws the error of an unknown id for a malformed one. */
export function requirePathId(name: PathIdName, given: string): void {
  const { schema, notFound } = pathIds[name]
  if (notFound !== null && !schema.safeParse(given).success) throw unknownId(name, given)
}

/** Objects of other owners get the same error as unknown ones. Must not be called for ids without `notFound`. */
export function unknownId(name: PathIdName, given: string): QuarterdeckError {
  const { notFound, list } = pathIds[name]
  if (notFound === null) throw new Error(`no error is declared for an unknown ${name}`)
  const kind = notFound.replace('.not-found', '').replace('-', ' ')
  const detail = `there is no ${kind} ${JSON.stringify(given.slice(0, 100))}: list them with ${list}`
  return new QuarterdeckError(notFound, detail)
}

export type PathIdName = keyof typeof pathIds

/** The names in the braces of a path, in order. */
export const pathNames = (path: string): readonly PathIdName[] =>
  // `operation` accepts no other names.
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PathIdName)
