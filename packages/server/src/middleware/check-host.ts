// Against DNS rebinding: a hostile page may point its own name at this machine, and then sends a foreign Host.
import { isIP } from 'node:net'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { bracketed, isWildcard } from '../http/host-name.ts'

export interface HostRules {
  /** The address the server listens on. */
  readonly host: string
  /** The public address behind a proxy. */
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

/** Loopback names, the configured host and the public one; with "every address" also any IP, which DNS cannot fake. */
function servedHostNames(rules: HostRules): (name: string) => boolean {
  const names = new Set(['localhost', '127.0.0.1', '[::1]', bracketed(rules.host.toLowerCase())])
  if (rules.publicUrl !== null) names.add(new URL(rules.publicUrl).hostname)
  const isEverywhere = isWildcard(rules.host)
  return (name) => names.has(name) || (isEverywhere && isIP(name.replace(/^\[|\]$/g, '')) !== 0)
}

/** The name without its port, normalized as in a URL; `null` if it is not a host. */
function hostNameOf(header: string): string | null {
  if (!/^[\w.:[\]-]+$/.test(header)) return null
  return URL.canParse(`http://${header}`) ? new URL(`http://${header}`).hostname : null
}
