// Approvals, questions and clients' calls move a session in the same way: it waits while one of them is open, and after
// the last one its turn goes on, or the agent is woken.
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

/** The turn waits for one more; of several kinds the first is shown. */
export function waitAlso(state: SessionState, kind: WaitingStatus): readonly EventDraft[] {
  const isShown = state.status === 'running' || (isWaitingStatus(state.status) && isShownBefore(kind, state.status))
  return isShown ? [moveTo(state, kind)] : []
}

/** Only a turn that runs can ask. */
export function originInTurn(state: SessionState, agent: AgentPath): { agent: AgentPath; turnId?: TurnId } {
  const turnId = requireTurn(state).turn?.turnId
  return turnId === undefined ? { agent } : { agent, turnId }
}

/**
 * The turn that asked is being stopped: what it asked ends with it, and no answer may start it again. Unless it is only
 * put off, by a pause or because the engine takes its process away: then the agent is told when it goes on.
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

/** A turn that is only put off is told later what it was not there to hear; in any other its asks end with it. */
export function missAnswers(state: SessionState, { missed, keepsAsks }: MissAnswers): readonly EventDraft[] {
  if (!keepsAsks && state.status !== 'pausing') return []
  return missed.map((answer) => draft('AnswerMissed', { answer }, originInTurn(state, null)))
}

export interface SettledNow {
  readonly id: string
  /** What the agent does not know yet; `null` where a process hears it, or where there is nothing to tell. */
  readonly untold: Unreported | null
  readonly wakeMessageId: UserMessageId
}

/**
 * A turn that runs may still ask for the same by itself, so its end tells the rest. Without one the agent is woken once,
 * when the last ask is settled, so that it hears everything together.
 */
export function settleAsk(state: SessionState, { id, untold, wakeMessageId }: SettledNow): readonly EventDraft[] {
  const left = asksWhere(state, (ask) => idOf(ask) !== id)
  const { turn } = state
  if (turn !== null) {
    const ofTurn = asksWhere(left, (ask) => ask.turnId === turn.turnId)
    return isWaitingStatus(state.status) ? moveIfNew(state, waitingStatus(ofTurn) ?? 'running') : []
  }
  const waiting = waitingStatus(left)
  if (waiting !== null) return isWaitingStatus(state.status) ? moveIfNew(state, waiting) : []
  const woken = wake(untold === null ? state.untold : [...state.untold, untold], wakeMessageId)
  if (woken.length > 0) return [...woken, ...queueUp(state)]
  return isWaitingStatus(state.status) ? [moveTo(state, 'interrupted')] : []
}

const moveIfNew = (state: SessionState, to: SessionStatus): readonly EventDraft[] =>
  to === state.status ? [] : [moveTo(state, to)]

function idOf(ask: AnyAsk): string {
  if ('approvalId' in ask) return ask.approvalId
  return 'questionId' in ask ? ask.questionId : ask.callId
}
