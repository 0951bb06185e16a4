// A house that nobody reaches but this process itself: the same application, without a port.
import { randomBytes } from 'node:crypto'
import type { Logger } from '@quarterdeck/engine'
import { operator } from './auth/authenticate.ts'
import { createLoginLinks } from './auth/login-links.ts'
import { createApp } from './create-app.ts'
import type { House } from './open-house.ts'
import { defaultRateLimits, type RateLimits } from './requests/rate-limits.ts'
import { createAppHost } from './rpc/create-app-host.ts'
import type { RpcHost } from './rpc/rpc-host.ts'
import { defaultStreamTiming } from './transports/stream-deps.ts'
import { readVersion } from './version.ts'
import { webFolder } from './web-assets.ts'

export interface LocalHostOptions {
  readonly house: House
  readonly dataDir: string
  readonly logger: Logger
  readonly rateLimits?: Partial<RateLimits>
  /** New work is refused from then on; false unless said. */
  readonly isDraining?: () => boolean
}

/** Whoever holds the other end started this process: it may do everything the token of the data folder may. */
export function createLocalHost({ house, dataDir, logger, rateLimits, isDraining }: LocalHostOptions): RpcHost {
  const { engine, settings } = house
  const app = createApp({
    ...{ dataDir, logger, now: Date.now, version: readVersion(), webFolder: webFolder() },
    ...{ host: 'localhost', publicUrl: null, allowedOrigins: [], timing: defaultStreamTiming },
    // Nobody is told it: there is no way in that would ask for it.
    accessToken: randomBytes(32).toString('base64url'),
    loginLinks: createLoginLinks(Date.now),
    closing: new AbortController().signal,
    sessionsOf: engine.sessionsOf,
    agents: engine.agents,
    catalog: settings.catalog,
    replies: engine.replies,
    checkStore: engine.check,
    keys: engine.keys,
    rateLimits: { ...defaultRateLimits, ...rateLimits },
    isDraining: isDraining ?? (() => false),
  })
  return createAppHost({ app, caller: { principal: operator, key: null }, sessionsOf: engine.sessionsOf })
}
