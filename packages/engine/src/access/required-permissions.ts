// The permission that each operation needs. The check is part of the session service, so that no transport can omit it.
import { mayDo, type Permission, requireScope, type Scope } from '@quarterdeck/protocol'
import type { SessionService } from '../sessions/session-service.ts'

const requiredPermissions: Readonly<Record<keyof SessionService, Permission>> = {
  createSession: 'work',
  sendMessage: 'work',
  interrupt: 'work',
  cancel: 'work',
  close: 'work',
  fork: 'work',
  rewind: 'work',
  pause: 'work',
  resume: 'work',
  deleteSession: 'work',
  wake: 'work',
  warmAgent: 'work',
  messageSubagent: 'work',
  editMessage: 'work',
  cancelMessage: 'work',
  promoteMessage: 'work',
  attachClient: 'work',
  detachClient: 'work',
  returnClientCall: 'work',
  decideApproval: 'decide',
  answerQuestion: 'decide',
  changeSession: 'decide',
  revokeRule: 'decide',
  getSession: 'read',
  listSessions: 'read',
  readEvents: 'read',
  follow: 'read',
  feed: 'read',
  listMessages: 'read',
  listApprovals: 'read',
  listQuestions: 'read',
  listClientCalls: 'read',
  inbox: 'read',
  queue: 'read',
  capabilities: 'read',
  history: 'read',
  usage: 'read',
  listBudgets: 'read',
  createBudget: 'manage',
  changeBudget: 'manage',
  removeBudget: 'manage',
  readAudit: 'manage',
  verifyAudit: 'manage',
}

/** Operations beyond a scope refuse. Reading is open to every scope. */
export function withinScope(sessions: SessionService, scope: Scope): SessionService {
  const refusing = (needs: Permission) => async () => requireScope(scope, needs)
  const closed = Object.entries(requiredPermissions).filter(([, needs]) => !mayDo(scope, needs))
  return { ...sessions, ...Object.fromEntries(closed.map(([operation, needs]) => [operation, refusing(needs)])) }
}
