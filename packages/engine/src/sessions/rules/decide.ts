// The rules of a session: which events a command produces. Pure.
import {
  assertNever,
  type Command,
  type CreateSession,
  draft,
  type EventDraft,
  QuarterdeckError,
  type SessionState,
} from '@quarterdeck/protocol'
import { answerAsk, expireAsk, missAnswers, requestAsk, takeUpAsk } from './decide-ask.ts'
import { attachClient, detachClient } from './decide-clients.ts'
import {
  cancelSession,
  closeSession,
  confirmCancel,
  hibernateSession,
  noteFork,
  pauseSession,
  resumeSession,
  wakeSession,
} from './decide-control.ts'
import { revokeRule, useGrant } from './decide-grants.ts'
import { cancelMessage, editMessage, promoteMessage, sendMessage, steerTurn } from './decide-messages.ts'
import { rewindConversation } from './decide-rewind.ts'
import { changeSettings } from './decide-settings.ts'
import { endTurn, interruptTurn, recoverSession, startTurn } from './decide-turn.ts'
import { requireNew, requireOpen, requireResting, requireSettled } from './invariants.ts'

/** Throws a `QuarterdeckError` for a command that the session cannot take now. No events means nothing to do. */
export function decide(state: SessionState | null, command: Command): readonly EventDraft[] {
  if (command.type === 'session.create') return createSession(state, command)
  if (state === null) throw new QuarterdeckError('session.not-found', 'the session does not exist')
  const session = state
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
      return startTurn(requireResting(session), command)
    case 'turn.end':
      return endTurn(session, command)
    case 'turn.interrupt':
      return interruptTurn(requireSettled(session), command)
    case 'ask.request':
      return requestAsk(session, command)
    case 'ask.take-up':
      return takeUpAsk(session, command)
    case 'ask.answer':
      return answerAsk(session, command)
    case 'ask.expire':
      return expireAsk(session, command)
    case 'approval.use':
      return useGrant(session, command)
    case 'rule.revoke':
      return revokeRule(requireOpen(session), command)
    case 'client.attach':
      return attachClient(requireOpen(session), command)
    case 'client.detach':
      return detachClient(session, command)
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
  const { type: _, by, tags, owner = by, allowedTools, unsaved, ...facts } = command
  return [
    draft('AgentSessionCreated', {
      ...facts,
      tags: [...tags],
      owner,
      ...(owner === by ? {} : { startedBy: by }),
      ...(allowedTools === undefined ? {} : { allowedTools: [...allowedTools] }),
      ...(unsaved === undefined ? {} : { unsaved: [...unsaved] }),
    }),
  ]
}
