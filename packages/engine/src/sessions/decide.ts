// The rules of a session: what a command does to it, as events. Pure; everything it needs comes in.
import {
  assertNever,
  type CancelSession,
  type ChangeModel,
  type Command,
  type CreateSession,
  draft,
  type EventDraft,
  type SendMessage,
  type SessionState,
} from '@quarterdeck/protocol'
import { decideApproval, expireApproval, requestApproval, takeUpApproval, useGrant } from './decide-approval.ts'
import { endTurn, interruptTurn, recoverSession, startTurn } from './decide-turn.ts'
import { requireNew, requireOpen, requireResting, requireSession, requireSettled } from './invariants.ts'
import { completed } from './session-completed.ts'
import { expireAll, moveTo } from './status-drafts.ts'

/** Throws a `QuarterdeckError` for a command the session cannot take now; no events means nothing to do. */
export function decide(state: SessionState | null, command: Command): readonly EventDraft[] {
  if (command.type === 'session.create') return createSession(state, command)
  const session = requireSession(state)
  switch (command.type) {
    case 'message.send':
      return sendMessage(requireOpen(session), command)
    case 'turn.start':
      return startTurn(requireResting(requireOpen(session)), command)
    case 'turn.end':
      return endTurn(session, command)
    case 'turn.interrupt':
      return interruptTurn(requireSettled(session), command)
    case 'approval.request':
      return requestApproval(session, command)
    case 'approval.take-up':
      return takeUpApproval(session, command)
    case 'approval.decide':
      return decideApproval(session, command)
    case 'approval.expire':
      return expireApproval(session, command)
    case 'approval.use':
      return useGrant(session, command)
    case 'model.change':
      return changeModel(requireOpen(session), command)
    case 'session.cancel':
      return cancelSession(requireOpen(session), command)
    case 'session.confirm-cancel':
      return session.status === 'cancelling' ? [...expireAll(session), moveTo(session, 'cancelled')] : []
    case 'session.close':
      return closeSession(requireResting(requireOpen(session)))
    case 'session.recover':
      return recoverSession(session, command)
    default:
      return assertNever(command)
  }
}

function createSession(state: SessionState | null, command: CreateSession): readonly EventDraft[] {
  requireNew(state)
  const { type: _, by, tags, ...facts } = command
  return [draft('AgentSessionCreated', { ...facts, tags: [...tags], owner: by })]
}

function sendMessage(state: SessionState, command: SendMessage): readonly EventDraft[] {
  const { messageId, content, origin, by } = command
  if (state.recentMessages.includes(messageId)) return [] // a retry of a message that is already in the log
  const queued = draft('UserMessageQueued', { messageId, content, origin, by })
  // A resting session says that work waits, so that a crash before the turn starts cannot forget it.
  return state.turn === null && state.status !== 'queued' ? [queued, moveTo(state, 'queued')] : [queued]
}

function changeModel(state: SessionState, command: ChangeModel): readonly EventDraft[] {
  if (command.model === state.model) return []
  return [draft('ModelChanged', { from: state.model, to: command.model, by: command.by })]
}

function cancelSession(state: SessionState, command: CancelSession): readonly EventDraft[] {
  const cancelling = moveTo(state, 'cancelling', `by ${command.by}`)
  if (state.turn !== null) return [cancelling]
  return [cancelling, ...expireAll(state), moveTo({ ...state, status: 'cancelling' }, 'cancelled', `by ${command.by}`)]
}

function closeSession(state: SessionState): readonly EventDraft[] {
  return [...expireAll(state), completed(state), moveTo(state, 'completed')]
}
