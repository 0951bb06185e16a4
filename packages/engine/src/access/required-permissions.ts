// The permission that each operation needs. The check is part of the session service, so that no transport can omit it.
import { mayDo, type Permission, requireScope, type Scope } from '@quarterdeck/protocol'
import type { SessionService } from '../sessions/session-service.ts'

const requiredPermissions: Readonly<Record<keyof SessionService, Permission>> = {
  create: 'work',
  send: 'work',
  interrupt: 'work',
  cancel: 'work',
  close: 'work',
  fork: 'work',
  rewind: 'work',
  pause: 'work',
  resume: 'work',
  remove: 'work',
  wake: 'work',
  warm: 'work',
  messageSubagent: 'work',
  editMessage: 'work',
  cancelMessage: 'work',
  promoteMessage: 'work',
  attachClient: 'work',
  detachClient: 'work',
  returnClientCall: 'work',
  decide: 'decide',
  answer: 'decide',
  change: 'decide',
  revokeRule: 'decide',
  snapshot: 'read',
  list: 'read',
  events: 'read',
  follow: 'read',
  feed: 'read',
  messages: 'read',
  approvals: 'read',
  questions: 'read',
  clientCalls: 'read',
  inbox: 'read',
  queue: 'read',
  capabilities: 'read',
  history: 'read',
  usage: 'read',
  budgets: 'read',
  createBudget: 'manage',
  changeBudget: 'manage',
  removeBudget: 'manage',
  audit: 'manage',
  verifyAudit: 'manage',
}

/** Operations beyond a scope refuse. Reading is open to every scope. */
export function withinScope(sessions: SessionService, scope: Scope): SessionService {
  const refusing = (needs: Permission) => async () => requireScope(scope, needs)
  const closed = Object.entries(requiredPermissions).filter(([, needs]) => !mayDo(scope, needs))
  return { ...sessions, ...Object.fromEntries(closed.map(([operation, needs]) => [operation, refusing(needs)])) }
}
