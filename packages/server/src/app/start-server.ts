// Starts a server: binds the ports, opens the runtime, and serves the application.
import { setMaxListeners } from 'node:events'
import { folderFailure } from '@quarterdeck/engine'
import { ensureAccessToken } from '../auth/access-token.ts'
import { createSigner } from '../auth/create-signer.ts'
import { createLoginLinks } from '../auth/login-links.ts'
import type { CompatListenerPlan, ServedCompatListener } from '../compat-listeners/compat-listener-plan.ts'
import {
  bindCompatPorts,
  closeCompatListeners,
  type PlannedCompatListener,
  startCompatListeners,
} from '../compat-listeners/start-compat-listeners.ts'
import { type HttpListener, listen } from '../http/listen.ts'
import { serveApp } from '../http/serve-app.ts'
import { checkedOrigins } from '../middleware/allowed-origins.ts'
import type { RateLimits } from '../middleware/rate-limits.ts'
import { webFolder } from '../pages/web-assets.ts'
import { exposureWarning, refuseExposure } from '../runtime/exposure.ts'
import { openRuntime, type Runtime, type RuntimeOptions } from '../runtime/open-runtime.ts'
import type { StreamTiming } from '../transports/stream-deps.ts'
import { createApp } from './create-app.ts'
import { createSharedDeps } from './shared-deps.ts'

export interface ServerOptions {
  readonly runtime: Omit<RuntimeOptions, 'role' | 'address' | 'host' | 'canAsk'>
  readonly host: string
  /** If it is taken, the next free port; 0 for any. */
  readonly port: number
  readonly publicUrl?: string
  readonly allowedOrigins?: readonly string[]
  readonly timing?: Partial<StreamTiming>
  readonly rateLimits?: Partial<RateLimits>
  readonly webFolder?: string
  /** Compatibility listeners: foreign protocols on loopback ports, without a token. */
  readonly compatListeners?: readonly CompatListenerPlan[]
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  readonly runtime: Runtime
  readonly compatListeners: readonly ServedCompatListener[]
  /** A new link that signs one browser in once, within ten minutes. */
  loginLink(): string
  /** Refuses new work, lets running turns end for `graceMs`, then interrupts them. */
  drain(graceMs: number): Promise<void>
  /** Ends streams and connections, then the engine and every process it started. */
  close(): Promise<void>
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const allowedOrigins = checkedOrigins(options.allowedOrigins ?? [])
  const plans = (options.compatListeners ?? []).map(({ origins = [], ...plan }) => ({
    ...plan,
    origins: checkedOrigins(origins),
  }))
  const listener = await listen(options.host, options.port)
  let planned: readonly PlannedCompatListener[] = []
  try {
    planned = await bindCompatPorts(plans)
    const { dataDir } = options.runtime
    const accessToken = await ensureAccessToken(dataDir).catch((error: unknown) => {
      throw folderFailure(dataDir, error)
    })
    const url = options.publicUrl?.replace(/\/+$/, '') ?? listener.url
    const serverRole = { role: 'server', address: url, host: options.host, canAsk: true } as const
    const runtime = await openRuntime({ ...options.runtime, ...serverRole })
    return await serveRuntime({ ...options, allowedOrigins }, { listener, planned, runtime, url, accessToken }).catch(
      async (error: unknown) => {
        await runtime.close()
        throw error
      },
    )
  } catch (error) {
    await Promise.all([listener.close(0), closeCompatListeners(planned, 0)])
    throw error
  }
}

interface OpenedRuntime {
  readonly listener: HttpListener
  readonly planned: readonly PlannedCompatListener[]
  readonly runtime: Runtime
  readonly url: string
  readonly accessToken: string
}

async function serveRuntime(options: ServerOptions, started: OpenedRuntime): Promise<RunningServer> {
  const { listener, planned, runtime, url, accessToken } = started
  refuseExposure(options.host, await runtime.agents.loaded())
  const warning = exposureWarning(options.host)
  if (warning !== null) options.runtime.logger.warn({ host: options.host }, warning)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // one listener per open stream
  const loginLinks = createLoginLinks(Date.now)
  let isDraining = false
  const { rateLimits, timing } = options
  const { logger } = options.runtime
  const made = createSharedDeps(runtime, { logger, rateLimits, timing })
  const shared = { ...made, closing: closing.signal, isDraining: () => isDraining }
  const compatListeners = await startCompatListeners(planned, {
    ...shared,
    agents: runtime.agents,
    sign: createSigner(accessToken),
  })
  const app = createApp({
    ...shared,
    accessToken,
    loginLinks,
    checkStore: runtime.engine.check,
    dataDir: options.runtime.dataDir,
    compatListeners: () => compatListeners,
    webFolder: options.webFolder ?? webFolder(),
    host: options.host,
    publicUrl: options.publicUrl ?? null,
    allowedOrigins: options.allowedOrigins ?? [],
  })
  serveApp(listener, app, options.runtime.logger)

  return {
    url,
    port: listener.port,
    runtime,
    compatListeners,
    loginLink: () => `${url}/login?code=${loginLinks.issue()}`,
    async drain(graceMs) {
      isDraining = true
      await runtime.engine.drain(graceMs)
    },
    async close() {
      isDraining = true
      closing.abort()
      await Promise.all([listener.close(closeGraceMs), closeCompatListeners(planned, closeGraceMs)])
      await made.background.ended()
      await runtime.close()
    },
  }
}

/** Time for running responses to finish: they are short once the streams have ended. */
const closeGraceMs = 2000
