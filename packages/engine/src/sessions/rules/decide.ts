// The rules of a session: which events a command produces. Pure.
import {
  assertNever,
  type Command,
  type CreateSession,
  draft,
  type EventDraft,
  type SessionState,
} from '@quarterdeck/protocol'
import {
  decideApproval,
  expireApproval,
  requestApproval,
  revokeRule,
  takeUpApproval,
  useGrant,
} from './decide-approval.ts'
import {
  attachClient,
  callClient,
  detachClient,
  expireClientCall,
  returnClientCall,
  takeUpClientCall,
} from './decide-client-call.ts'
import {
  cancelSession,
  closeSession,
  confirmCancel,
  hibernateSession,
  noteFork,
  pauseSession,
  resumeSession,
  rewindConversation,
  wakeSession,
} from './decide-control.ts'
import { cancelMessage, editMessage, promoteMessage, sendMessage, steerTurn } from './decide-messages.ts'
import { answerQuestion, askQuestion, expireQuestion, takeUpQuestion } from './decide-question.ts'
import { changeSettings } from './decide-settings.ts'
import { endTurn, interruptTurn, recoverSession, startTurn } from './decide-turn.ts'
import { requireNew, requireOpen, requireResting, requireSession, requireSettled } from './invariants.ts'
import { missAnswers } from './settle-ask.ts'

/** Throws a `QuarterdeckError` for a command that the session cannot take now. No events means nothing to do. */
export function decide(state: SessionState | null, command: Command): readonly EventDraft[] {
  if (command.type === 'session.create') return createSession(state, command)
  const session = requireSession(state)
  switch (command.type) {
    case 'message.send':
      return sendMessage(requireOpen(session), command)
    case 'message.edit':
      return editMessage(requireOpen(session), command)
    case 'message.cancel':
      return cancelMessage(requireOpen(session), command)
    case 'message.promote':
      return promoteMessage(requireOpen(session), command)
    case 'turn.steer':
      return steerTurn(session, command)
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
    case 'rule.revoke':
      return revokeRule(requireOpen(session), command)
    case 'question.ask':
      return askQuestion(session, command)
    case 'question.take-up':
      return takeUpQuestion(session, command)
    case 'question.answer':
      return answerQuestion(session, command)
    case 'question.expire':
      return expireQuestion(session, command)
    case 'client.attach':
      return attachClient(requireOpen(session), command)
    case 'client.detach':
      return detachClient(session, command)
    case 'client-call.call':
      return callClient(session, command)
    case 'client-call.take-up':
      return takeUpClientCall(session, command)
    case 'client-call.return':
      return returnClientCall(session, command)
    case 'client-call.expire':
      return expireClientCall(session, command)
    case 'answer.miss':
      return missAnswers(session, command)
    case 'session.change':
      return changeSettings(session, command)
    case 'session.pause':
      return pauseSession(requireSettled(requireOpen(session)), command)
    case 'session.resume':
      return resumeSession(requireSettled(requireOpen(session)), command)
    case 'session.cancel':
      return cancelSession(requireOpen(session), command)
    case 'session.confirm-cancel':
      return confirmCancel(session)
    case 'session.close':
      return closeSession(requireResting(requireOpen(session)), command)
    case 'session.note-fork':
      return noteFork(command)
    case 'session.rewind':
      return rewindConversation(requireResting(requireOpen(session)), command)
    case 'session.hibernate':
      return hibernateSession(session, command)
    case 'session.wake':
      return wakeSession(session, command)
    case 'session.recover':
      return recoverSession(session, command)
    default:
      return assertNever(command)
  }
}

function createSession(state: SessionState | null, command: CreateSession): readonly EventDraft[] {
  requireNew(state)
  const { type: _, by, tags, owner = by, allowedTools, ...facts } = command
  return [
    draft('AgentSessionCreated', {
      ...facts,
      tags: [...tags],
      owner,
      ...(owner === by ? {} : { startedBy: by }),
      ...(allowedTools === undefined ? {} : { allowedTools: [...allowedTools] }),
    }),
  ]
}
