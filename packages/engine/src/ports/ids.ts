import type {
  ApprovalId,
  BudgetId,
  ClientCallId,
  EventId,
  QuestionId,
  SessionId,
  TurnId,
  UserMessageId,
} from '@quarterdeck/protocol'

/** The type of an id by its prefix. */
export interface IdOf {
  readonly ses: SessionId
  readonly evt: EventId
  readonly trn: TurnId
  readonly umsg: UserMessageId
  readonly apr: ApprovalId
  readonly qst: QuestionId
  readonly ctc: ClientCallId
  readonly bud: BudgetId
  readonly key: string
  readonly dlv: string
}

/** Passed in, so that tests choose the ids. */
export interface Ids {
  next<Prefix extends keyof IdOf>(prefix: Prefix): IdOf[Prefix]
}

/** The only cast to a branded id. `unique` must be 6 to 64 letters or digits. */
export const makeId = <Prefix extends keyof IdOf>(prefix: Prefix, unique: string): IdOf[Prefix] =>
  `${prefix}_${unique}` as IdOf[Prefix]
