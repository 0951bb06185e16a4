// The ids that stand in paths, by their names there.
import { z } from 'zod'
import { AgentName } from '../agents/agent-definition.ts'
import type { ErrorCode } from '../errors/quarterdeck-error.ts'
import { ApprovalId, BudgetId, ClientCallId, QuestionId, SessionId, UserMessageId } from '../values/ids.ts'
import { plainText } from './plain-text.ts'

/** Of a key and of an owner. */
export const KeyName = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9._@-]{0,63}$/,
    'is not a name for a key or an owner: a letter, then up to 63 letters, digits, dots, dashes, @ or _',
  )

/** A client chooses its own. */
export const ClientId = z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/, 'must be a plain name')

/** A malformed id gets the same answer as an unknown one: this error, or with `null` that of the implementation. */
export const pathIds = {
  sessionId: { schema: SessionId, notFound: 'session.not-found' },
  approvalId: { schema: ApprovalId, notFound: 'approval.not-found' },
  questionId: { schema: QuestionId, notFound: 'question.not-found' },
  callId: { schema: ClientCallId, notFound: 'client-call.not-found' },
  messageId: { schema: UserMessageId, notFound: 'message.not-found' },
  agentId: { schema: plainText(200).min(1), notFound: 'subagent.not-found' },
  clientId: { schema: ClientId, notFound: null }, // detaching an unknown client changes nothing
  budgetId: { schema: BudgetId, notFound: 'budget.not-found' },
  keyName: { schema: KeyName, notFound: 'key.not-found' },
  name: { schema: AgentName, notFound: 'agent.not-found' },
} as const satisfies Record<string, { readonly schema: z.ZodType<string>; readonly notFound: ErrorCode | null }>

export type PathIdName = keyof typeof pathIds

/** The names in the braces of a path, in order. */
export const pathNames = (path: string): readonly PathIdName[] =>
  // `operation` accepts no other names.
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PathIdName)
