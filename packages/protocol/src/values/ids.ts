// Every id has a prefix that names its kind, so that a log line or a pasted id explains itself.
import { z } from 'zod'

const prefixed = <Prefix extends string>(prefix: Prefix) =>
  z.string().regex(new RegExp(`^${prefix}_[0-9A-Za-z]{6,64}$`), `must look like ${prefix}_…`)

/** The prefixes of the ids of asks, by kind. */
export const askIdPrefixes = { approval: 'apr', question: 'qst', 'client-call': 'ctc' } as const

export const SessionId = prefixed('ses').brand<'SessionId'>()
export type SessionId = z.infer<typeof SessionId>

export const EventId = prefixed('evt').brand<'EventId'>()
export type EventId = z.infer<typeof EventId>

export const TurnId = prefixed('trn').brand<'TurnId'>()
export type TurnId = z.infer<typeof TurnId>

/** A message from a person or a program. Messages of the model keep the provider's own ids. */
export const UserMessageId = prefixed('umsg').brand<'UserMessageId'>()
export type UserMessageId = z.infer<typeof UserMessageId>

export const ApprovalId = prefixed(askIdPrefixes.approval).brand<'ApprovalId'>()
export type ApprovalId = z.infer<typeof ApprovalId>

export const QuestionId = prefixed(askIdPrefixes.question).brand<'QuestionId'>()
export type QuestionId = z.infer<typeof QuestionId>

/** A call of a tool that a client runs. */
export const ClientCallId = prefixed(askIdPrefixes['client-call']).brand<'ClientCallId'>()
export type ClientCallId = z.infer<typeof ClientCallId>

/** Of anything that the agent waits for. */
export type AskId = ApprovalId | QuestionId | ClientCallId

export const BudgetId = prefixed('bud').brand<'BudgetId'>()
export type BudgetId = z.infer<typeof BudgetId>
