// The life cycle of an ask: requested, perhaps taken up by another turn, then answered or expired. The session waits
// while one is open. After the last one its turn continues, or the agent is woken.
import {
  type AgentPath,
  type AnswerAsk,
  type AskId,
  type AskWith,
  askIdOf,
  buildReport,
  draft,
  type EventDraft,
  type ExpireAsk,
  findAsk,
  type MissAnswers,
  openAsks,
  QuarterdeckError,
  type RequestAsk,
  type SessionState,
  type SessionStatus,
  type TakeUpAsk,
  type TurnId,
  type Unreported,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { strategyOf } from './ask-kinds/ask-strategies.ts'
import { requireTurn } from './invariants.ts'
import { isShownBefore, isWaitingStatus, moveTo, queueUp, waitingStatus } from './status-drafts.ts'
import { wake } from './wake-message.ts'

export const requestAsk = (state: SessionState, { asked }: RequestAsk): readonly EventDraft[] => [
  { ...asked, ...originInTurn(state, asked.agent) },
  ...waitAlso(state, askIdOf(asked.data)),
]

/** From here on the running turn waits for the open ask. Nothing to do if it was settled first. */
export function takeUpAsk(state: SessionState, { id, toolUseId }: TakeUpAsk): readonly EventDraft[] {
  const ask = findAsk(state, id)
  if (ask === undefined) return []
  const takenUp = strategyOf(id).takenUp(id, toolUseId === null ? {} : { toolUseId })
  return [{ ...takenUp, ...originInTurn(state, ask.request.agent) }, ...waitAlso(state, id)]
}

export function answerAsk(state: SessionState, command: AnswerAsk): readonly EventDraft[] {
  const { id, answer, by, isLive, wakeMessageId } = command
  const ask = requireOpenAsk(state, id)
  const { turnId, agent } = ask.request
  if (!isLive) requireTurnOver(state, { id, turnId, keepsAsks: command.keepsAsks === true })
  const answered = strategyOf(id).answered(ask.request, answer, { by, wasLive: isLive })
  const origin = { agent, ...(state.turn === null ? {} : { turnId: state.turn.turnId }) }
  const unreported = isLive ? null : buildReport(ask, answered)
  return [{ ...answered, ...origin }, ...settleAsk(state, { id, unreported, wakeMessageId })]
}

export function expireAsk(state: SessionState, { id, wakeMessageId }: ExpireAsk): readonly EventDraft[] {
  const ask = requireOpenAsk(state, id)
  const { turnId, agent } = ask.request
  const expired = strategyOf(id).expired(id)
  const unreported = state.turn?.turnId === turnId ? null : buildReport(ask, expired)
  return [{ ...expired, agent }, ...settleAsk(state, { id, unreported, wakeMessageId })]
}

/** A suspended turn gets its missed answers later. In any other turn the asks end with it. */
export function missAnswers(state: SessionState, { missed, keepsAsks }: MissAnswers): readonly EventDraft[] {
  if (!keepsAsks && state.status !== 'pausing') return []
  return missed.map((answer) => draft('AnswerMissed', { answer }, originInTurn(state, null)))
}

/** The first answer wins. A later one is refused, and the error says who gave the first. */
export function requireOpenAsk<Id extends AskId>(state: SessionState, id: Id): AskWith<Id> {
  const open = findAsk(state, id)
  if (open !== undefined) return open
  const settlement = strategyOf(id).settlement(state, id)
  if (settlement === null) throw unknownAsk(id)
  const { noun, errors } = strategyOf(id)
  throw new QuarterdeckError(errors.settled, `${noun} ${id} ${settlement.what}`, { facts: settlement.facts })
}

export function unknownAsk(id: AskId): QuarterdeckError {
  const { noun, errors } = strategyOf(id)
  return new QuarterdeckError(errors.unknown, `there is no ${noun} ${id}`)
}

/** The turn waits for one more ask. If several kinds are open, the first kind is shown. */
function waitAlso(state: SessionState, id: AskId): readonly EventDraft[] {
  const { status } = strategyOf(id)
  const isShown = state.status === 'running' || (isWaitingStatus(state.status) && isShownBefore(status, state.status))
  return isShown ? [moveTo(state, status)] : []
}

/** Only a running turn can ask. */
function originInTurn(state: SessionState, agent: AgentPath): { agent: AgentPath; turnId?: TurnId } {
  const turnId = requireTurn(state).turn?.turnId
  return turnId === undefined ? { agent } : { agent, turnId }
}

/**
 * While a turn is being stopped, its asks end with it, and no answer may start it again. Exception: if it is only
 * suspended, by a pause or because the engine detaches its process, the agent gets the answer when it continues.
 */
function requireTurnOver(
  state: SessionState,
  ask: { readonly id: AskId; readonly turnId: TurnId | null; readonly keepsAsks: boolean },
): void {
  if (state.turn === null || state.turn.turnId !== ask.turnId) return
  if (ask.keepsAsks || state.status === 'pausing') return
  const detail =
    `${ask.id} can no longer be answered: session ${state.sessionId} is ${state.status}. ` +
    'Send the answer as a message after the turn has ended'
  throw new QuarterdeckError('session.busy', detail, { facts: { sessionStatus: state.status } })
}

interface SettledNow {
  readonly id: AskId
  /** The report that the agent does not have yet; `null` if a process receives it or there is nothing to report. */
  readonly unreported: Unreported | null
  readonly wakeMessageId: UserMessageId
}

/**
 * A running turn may still ask for the same itself, so the rest is reported at its end. Without a turn the agent is
 * woken once, after the last ask, and gets everything together.
 */
function settleAsk(state: SessionState, { id, unreported, wakeMessageId }: SettledNow): readonly EventDraft[] {
  const left = openAsks(state).filter((ask) => ask.id !== id)
  const { turn } = state
  if (turn !== null) {
    const ofTurn = left.filter(({ request }) => request.turnId === turn.turnId)
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
