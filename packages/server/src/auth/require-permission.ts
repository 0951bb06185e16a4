import { type Operation, requireScope } from '@quarterdeck/protocol'
import type { Context } from 'hono'
import type { AppEnv } from '../http/app-env.ts'

/** Throws `auth.forbidden` for a key whose scope is too small. */
export function requirePermission(c: Context<AppEnv>, { permission }: Pick<Operation, 'permission'>): void {
  if (permission !== 'nothing') requireScope(c.get('principal').scope, permission)
}
