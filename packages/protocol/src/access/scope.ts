// Who may do what. A key has one scope; every route says what it needs.
import { z } from 'zod'
import { QuarterdeckError } from '../errors/quarterdeck-error.ts'

/**
 * `admin`: everything, the sessions of all owners included. `operator`: works with its owner's sessions and decides in
 * them. `viewer`: only looks. `agent`: a program that works but may not decide what people are asked.
 */
export const Scope = z.enum(['admin', 'operator', 'viewer', 'agent'])
export type Scope = z.infer<typeof Scope>

/**
 * `read`: look. `work`: start sessions, write to them, stop them. `decide`: answer approvals and questions, and change
 * what a session may do. `manage`: keys, budgets and the audit chain.
 */
export type Permission = 'read' | 'work' | 'decide' | 'manage'

const permissions: Readonly<Record<Scope, readonly Permission[]>> = {
  admin: ['read', 'work', 'decide', 'manage'],
  operator: ['read', 'work', 'decide'],
  viewer: ['read'],
  agent: ['read', 'work'],
}

export const mayDo = (scope: Scope, permission: Permission): boolean => permissions[scope].includes(permission)

/** Throws `auth.forbidden` for a scope that is too small. */
export function requireScope(scope: Scope, needs: Permission): void {
  if (mayDo(scope, needs)) return
  const enough = Scope.options.filter((other) => mayDo(other, needs)).join(' or ')
  const detail = `a key with the scope "${scope}" may not ${needs} here: that needs the scope ${enough}`
  throw new QuarterdeckError('auth.forbidden', detail)
}

/** Who asks. */
export interface Principal {
  /** As it goes into the log: the name of the key. */
  readonly name: string
  /** Whose sessions these are; several keys may belong to one owner. */
  readonly owner: string
  readonly scope: Scope
  /** `null`: the server's own limits alone hold. */
  readonly requestsPerMinute: number | null
}

/** Who started a session: its key, or its owner, whom the log does not say twice. */
export const starterOf = (session: { readonly owner: string; readonly startedBy?: string | undefined }): string =>
  session.startedBy ?? session.owner
