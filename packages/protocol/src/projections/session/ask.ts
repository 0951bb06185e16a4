// An ask is an approval, a question or a client call: the agent waits for a person or a client. Every kind has the same
// life cycle. Only the events and the list in the state have names of their own.
import type { EventOfType, SessionEvent } from '../../events/session-event.ts'
import type { ApprovalId, AskId, ClientCallId, QuestionId } from '../../values/ids.ts'
import type { OpenApproval, OpenClientCall, OpenQuestion, SessionState } from './session-state.ts'

/** An open ask. Its request has the session, the time, the turn and the agent. */
export type Ask =
  | AskOf<'approval', ApprovalId, OpenApproval>
  | AskOf<'question', QuestionId, OpenQuestion>
  | AskOf<'client-call', ClientCallId, OpenClientCall>

interface AskOf<Kind, Id, Request> {
  readonly kind: Kind
  readonly id: Id
  /** `null` waits forever. */
  readonly expiresAt: string | null
  readonly request: Request
}

/** The ask that has this type of id. */
export type AskWith<Id extends AskId> = Extract<Ask, { readonly id: Id }>

type OpenAsks = Pick<SessionState, 'approvals' | 'questions' | 'clientCalls'>

/** The first one decides which status a waiting session has. */
export const openAsks = ({ approvals, questions, clientCalls }: OpenAsks): readonly Ask[] => [
  ...approvals.map((request) => {
    const { approvalId: id, expiresAt } = request
    return { kind: 'approval', id, expiresAt, request } as const
  }),
  ...questions.map((request) => {
    const { questionId: id, expiresAt } = request
    return { kind: 'question', id, expiresAt, request } as const
  }),
  ...clientCalls.map((request) => {
    const { callId: id, parkedUntil: expiresAt } = request
    return { kind: 'client-call', id, expiresAt, request } as const
  }),
]

export const findAsk = <Id extends AskId>(asks: OpenAsks, id: Id): AskWith<Id> | undefined =>
  openAsks(asks).find((ask): ask is AskWith<Id> => ask.id === id)

/** The ask that an event, a request or a report is about. */
export function askIdOf(
  about: { readonly approvalId: ApprovalId } | { readonly questionId: QuestionId } | { readonly callId: ClientCallId },
): AskId {
  if ('approvalId' in about) return about.approvalId
  return 'questionId' in about ? about.questionId : about.callId
}

export type AskOpened = EventOfType<'ApprovalRequested' | 'QuestionAsked' | 'ClientToolCalled'>
export type AskTakenUp = EventOfType<'ApprovalTakenUp' | 'QuestionTakenUp' | 'ClientToolTakenUp'>
export type AskAnswered = EventOfType<'ApprovalDecided' | 'QuestionAnswered' | 'ClientToolReturned'>
export type AskExpired = EventOfType<'ApprovalExpired' | 'QuestionExpired' | 'ClientToolExpired'>

/** The ask that this event opens, or `null`. */
export function askOpenedBy(event: SessionEvent): AskId | null {
  switch (event.type) {
    case 'ApprovalRequested':
    case 'QuestionAsked':
    case 'ClientToolCalled':
      return askIdOf(event.data)
    default:
      return null
  }
}

/** The ask that this event settles, or `null`. */
export function askSettledBy(event: SessionEvent): AskId | null {
  switch (event.type) {
    case 'ApprovalDecided':
    case 'ApprovalExpired':
    case 'QuestionAnswered':
    case 'QuestionExpired':
    case 'ClientToolReturned':
    case 'ClientToolExpired':
      return askIdOf(event.data)
    default:
      return null
  }
}
