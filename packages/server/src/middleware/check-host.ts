// DNS rebinding: a hostile page may point its own name at this machine. The name it then sends as Host is not ours.
import { isIP } from 'node:net'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { bracketed, isWildcard } from '../http/host-name.ts'

export interface HostRules {
  /** The address the server was told to listen on. */
  readonly host: string
  /** Where the world sees it, behind a proxy. */
  readonly publicUrl: string | null
}

export function checkHost(rules: HostRules): MiddlewareHandler<AppEnv> {
  const isServed = servedHostNames(rules)
  return async (c, next) => {
    const header = c.req.header('host') ?? ''
    const name = hostNameOf(header)
    if (name === null || !isServed(name)) {
      throw new QuarterdeckError(
        'auth.host-refused',
        `this server does not answer to the host name "${header}": use localhost, or start it with --host or --public-url`,
      )
    }
    await next()
  }
}

/** Loopback names, the configured host and the public one; on "every address" also any plain IP, which no DNS can fake. */
function servedHostNames(rules: HostRules): (name: string) => boolean {
  const names = new Set(['localhost', '127.0.0.1', '[::1]', bracketed(rules.host.toLowerCase())])
  if (rules.publicUrl !== null) names.add(new URL(rules.publicUrl).hostname)
  const isEverywhere = isWildcard(rules.host)
  return (name) => names.has(name) || (isEverywhere && isIP(name.replace(/^\[|\]$/g, '')) !== 0)
}

/** The name without its port, in the form a URL gives it; `null` when it is no host at all. */
function hostNameOf(header: string): string | null {
  if (!/^[\w.:[\]-]+$/.test(header)) return null
  return URL.canParse(`http://${header}`) ? new URL(`http://${header}`).hostname : null
}
