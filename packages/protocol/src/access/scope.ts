// Access control: a key has one scope, and every route names the permission it needs.
import { z } from 'zod'
import { QuarterdeckError } from '../errors/quarterdeck-error.ts'

/**
 * `admin`: everything, including the sessions of all owners. `operator`: works with its owner's sessions and decides in
 * them. `viewer`: read only. `agent`: a program that works but may not decide on asks.
 */
export const Scope = z.enum(['admin', 'operator', 'viewer', 'agent'])
export type Scope = z.infer<typeof Scope>

/**
 * `read`: read only. `work`: start, message and stop sessions. `decide`: answer approvals and questions, and change the
 * permissions of a session. `manage`: keys, budgets and the audit chain.
 */
export type Permission = 'read' | 'work' | 'decide' | 'manage'

const permissions: Readonly<Record<Scope, readonly Permission[]>> = {
  admin: ['read', 'work', 'decide', 'manage'],
  operator: ['read', 'work', 'decide'],
  viewer: ['read'],
  agent: ['read', 'work'],
}

/** Completes "a key with the scope … cannot". */
const actions: Readonly<Record<Permission, string>> = {
  read: 'read sessions',
  work: 'start or change sessions',
  decide: 'answer approvals and questions or change the model, mode and limits of sessions',
  manage: 'manage keys, budgets and the audit chain',
}

export const mayDo = (scope: Scope, permission: Permission): boolean => permissions[scope].includes(permission)

/** Throws `auth.forbidden` if the scope is not enough. */
export function requireScope(scope: Scope, needs: Permission): void {
  if (mayDo(scope, needs)) return
  const enough = Scope.options.filter((other) => mayDo(other, needs))
  const scopes = [enough.slice(0, -1).join(', '), ...enough.slice(-1)].filter((part) => part !== '').join(' or ')
  const detail = `a key with the scope "${scope}" cannot ${actions[needs]}; this needs ${scopes}`
  throw new QuarterdeckError('auth.forbidden', detail)
}

/** The caller of a request. */
export interface Principal {
  /** Recorded in the log: the name of the key. */
  readonly name: string
  /** The owner of the caller's sessions; several keys may belong to one owner. */
  readonly owner: string
  readonly scope: Scope
  /** `null`: only the server's own limits apply. */
  readonly requestsPerMinute: number | null
}

/** The starter of a session: its key, or its owner if both have the same name. */
export const starterOf = (session: { readonly owner: string; readonly startedBy?: string | undefined }): string =>
  session.startedBy ?? session.owner
