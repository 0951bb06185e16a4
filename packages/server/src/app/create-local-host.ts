// The application without a port, for calls from this process only.
import { randomBytes } from 'node:crypto'
import type { Logger } from '@quarterdeck/engine'
import { operator } from '../auth/authenticate.ts'
import { createLoginLinks } from '../auth/login-links.ts'
import type { RateLimits } from '../middleware/rate-limits.ts'
import { webFolder } from '../pages/web-assets.ts'
import { createAppHost } from '../rpc/create-app-host.ts'
import type { Runtime } from '../runtime/open-runtime.ts'
import { createApp } from './create-app.ts'
import { createSharedDeps } from './shared-deps.ts'

export interface LocalHostOptions {
  readonly runtime: Runtime
  readonly dataDir: string
  readonly logger: Logger
  readonly rateLimits?: Partial<RateLimits>
  /** New work is refused while this is true; false by default. */
  readonly isDraining?: () => boolean
}

/** The caller started this process and has the permissions of the token of the data folder. */
export function createLocalHost({ runtime, dataDir, logger, rateLimits, isDraining }: LocalHostOptions) {
  const { engine } = runtime
  const closing = new AbortController()
  const shared = createSharedDeps(runtime, { logger, rateLimits })
  const app = createApp({
    ...shared,
    dataDir,
    webFolder: webFolder(),
    host: 'localhost',
    publicUrl: null,
    allowedOrigins: [],
    // Never given out: no request can use it.
    accessToken: randomBytes(32).toString('base64url'),
    loginLinks: createLoginLinks(Date.now),
    closing: closing.signal,
    checkStore: engine.check,
    isDraining: isDraining ?? (() => false),
  })
  const host = createAppHost({ app, caller: { principal: operator, key: null }, sessionsOf: engine.sessionsOf })
  return {
    ...host,
    /** Ends background work. Close the runtime after this has resolved. */
    async close() {
      closing.abort()
      await shared.background.ended()
    },
  }
}
