// Approvals, questions and client calls change a session in the same way: it waits while one is open, and after the
// last one its turn continues or the agent is woken.
import {
  type AgentPath,
  draft,
  type EventDraft,
  type MissAnswers,
  QuarterdeckError,
  type SessionState,
  type SessionStatus,
  type TurnId,
  type Unreported,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { requireTurn } from './invariants.ts'
import {
  type AnyAsk,
  asksWhere,
  isShownBefore,
  isWaitingStatus,
  moveTo,
  queueUp,
  type WaitingStatus,
  waitingStatus,
} from './status-drafts.ts'
import { wake } from './wake-message.ts'

/** The turn waits for one more ask. If several kinds are open, the first kind is shown. */
export function waitAlso(state: SessionState, kind: WaitingStatus): readonly EventDraft[] {
  const isShown = state.status === 'running' || (isWaitingStatus(state.status) && isShownBefore(kind, state.status))
  return isShown ? [moveTo(state, kind)] : []
}

/** Only a running turn can ask. */
export function originInTurn(state: SessionState, agent: AgentPath): { agent: AgentPath; turnId?: TurnId } {
  const turnId = requireTurn(state).turn?.turnId
  return turnId === undefined ? { agent } : { agent, turnId }
}

/**
 * While a turn is being stopped, its asks end with it, and no answer may start it again. Exception: if it is only
 * suspended, by a pause or because the engine detaches its process, the agent gets the answer when it continues.
 */
export function requireTurnOver(
  state: SessionState,
  ask: { readonly id: string; readonly turnId: TurnId | null; readonly keepsAsks: boolean },
): void {
  if (state.turn === null || state.turn.turnId !== ask.turnId) return
  if (ask.keepsAsks || state.status === 'pausing') return
  throw new QuarterdeckError('session.busy', `${ask.id} ends with its turn, which is ${state.status}`, {
    facts: { sessionStatus: state.status },
  })
}

/** A suspended turn gets its missed answers later. In any other turn the asks end with it. */
export function missAnswers(state: SessionState, { missed, keepsAsks }: MissAnswers): readonly EventDraft[] {
  if (!keepsAsks && state.status !== 'pausing') return []
  return missed.map((answer) => draft('AnswerMissed', { answer }, originInTurn(state, null)))
}

export interface SettledNow {
  readonly id: string
  /** What the agent does not know yet; `null` if a process receives it or there is nothing to report. */
  readonly unreported: Unreported | null
  readonly wakeMessageId: UserMessageId
}

/**
 * A running turn may still ask for the same itself, so the rest is reported at its end. Without a turn the agent is
 * woken once, after the last ask, and gets everything together.
 */
export function settleAsk(state: SessionState, { id, unreported, wakeMessageId }: SettledNow): readonly EventDraft[] {
  const left = asksWhere(state, (ask) => idOf(ask) !== id)
  const { turn } = state
  if (turn !== null) {
    const ofTurn = asksWhere(left, (ask) => ask.turnId === turn.turnId)
    return isWaitingStatus(state.status) ? moveIfNew(state, waitingStatus(ofTurn) ?? 'running') : []
  }
  const waiting = waitingStatus(left)
  if (waiting !== null) return isWaitingStatus(state.status) ? moveIfNew(state, waiting) : []
  const woken = wake(unreported === null ? state.unreported : [...state.unreported, unreported], wakeMessageId)
  if (woken.length > 0) return [...woken, ...queueUp(state)]
  return isWaitingStatus(state.status) ? [moveTo(state, 'interrupted')] : []
}

const moveIfNew = (state: SessionState, to: SessionStatus): readonly EventDraft[] =>
  to === state.status ? [] : [moveTo(state, to)]

function idOf(ask: AnyAsk): string {
  if ('approvalId' in ask) return ask.approvalId
  return 'questionId' in ask ? ask.questionId : ask.callId
}
