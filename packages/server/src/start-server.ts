// A house with its doors open: the port, the engine behind it, and the application between the two.
import { setMaxListeners } from 'node:events'
import { getRequestListener } from '@hono/node-server'
import { folderFailure } from '@quarterdeck/engine'
import { type Problem, problemOf, QuarterdeckError } from '@quarterdeck/protocol'
import { ensureAccessToken } from './auth/access-token.ts'
import { createLoginLinks } from './auth/login-links.ts'
import { createApp } from './create-app.ts'
import { exposureWarning, refuseExposure } from './exposure.ts'
import { type Door, openDoor } from './open-door.ts'
import { type House, type HouseOptions, openHouse } from './open-house.ts'
import { defaultRateLimits, type RateLimits } from './requests/rate-limits.ts'
import { defaultSseTiming, type SseTiming } from './transports/sse.ts'
import { createUpgradeListener } from './transports/upgrade.ts'
import { readVersion } from './version.ts'
import { webFolder } from './web-assets.ts'

export interface ServerOptions {
  readonly house: Omit<HouseOptions, 'role' | 'address' | 'host' | 'canAsk'>
  readonly host: string
  /** A taken one gives the next free one; 0 takes any. */
  readonly port: number
  readonly publicUrl?: string
  readonly allowedOrigins?: readonly string[]
  readonly timing?: Partial<SseTiming>
  /** Of `KeyWatch`. */
  readonly keyCheckMs?: number
  readonly rateLimits?: Partial<RateLimits>
  readonly webFolder?: string
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  readonly house: House
  /** A new link that signs one browser in, once, within ten minutes. */
  loginLink(): string
  /** Refuses new work, lets running turns end for `graceMs`, then interrupts them. */
  drain(graceMs: number): Promise<void>
  /** Ends streams and connections, then the engine and every process it started. */
  close(): Promise<void>
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const door = await openDoor(options.host, options.port)
  try {
    const { dataDir } = options.house
    const accessToken = await ensureAccessToken(dataDir).catch((error: unknown) => {
      throw folderFailure(dataDir, error)
    })
    const url = options.publicUrl?.replace(/\/+$/, '') ?? door.url
    const place = { role: 'server', address: url, host: options.host, canAsk: true } as const
    const house = await openHouse({ ...options.house, ...place })
    return await serveHouse(options, { door, house, url, accessToken }).catch(async (error: unknown) => {
      await house.close()
      throw error
    })
  } catch (error) {
    await door.close(0)
    throw error
  }
}

interface Parts {
  readonly door: Door
  readonly house: House
  readonly url: string
  readonly accessToken: string
}

async function serveHouse(options: ServerOptions, { door, house, url, accessToken }: Parts): Promise<RunningServer> {
  refuseExposure(options.host, await house.agents.loaded())
  const warning = exposureWarning(options.host)
  if (warning !== null) options.house.logger.warn({ host: options.host }, warning)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // one per open stream
  const loginLinks = createLoginLinks(Date.now)
  let isDraining = false
  const app = createApp({
    ...{ accessToken, loginLinks, closing: closing.signal, now: Date.now, version: readVersion() },
    sessionsOf: house.engine.sessionsOf,
    agents: house.engine.agents,
    catalog: house.settings.catalog,
    replies: house.engine.replies,
    checkStore: house.engine.check,
    findKey: house.engine.keys.find,
    dataDir: options.house.dataDir,
    logger: options.house.logger,
    webFolder: options.webFolder ?? webFolder(),
    host: options.host,
    publicUrl: options.publicUrl ?? null,
    allowedOrigins: options.allowedOrigins ?? [],
    timing: { ...defaultSseTiming, ...options.timing },
    ...(options.keyCheckMs === undefined ? {} : { keyCheckMs: options.keyCheckMs }),
    rateLimits: { ...defaultRateLimits, ...options.rateLimits },
    isDraining: () => isDraining,
  })
  door.serve(
    getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: refuseUnreadable }),
    createUpgradeListener(app),
  )

  return {
    ...{ url, port: door.port, house },
    loginLink: () => `${url}/login?code=${loginLinks.issue()}`,
    async drain(graceMs) {
      isDraining = true
      await house.engine.drain(graceMs)
    },
    async close() {
      isDraining = true
      closing.abort()
      await door.close(closeGraceMs)
      await house.close()
    },
  }
}

/** Time for answers under way to leave: they are short once the streams have ended. */
const closeGraceMs = 2000

/** A request line or Host that no URL can be made of, before the application sees it. */
function refuseUnreadable(): Response {
  const problem: Problem = problemOf(new QuarterdeckError('request.invalid', 'the address or host name cannot be read'))
  return Response.json(problem, { status: problem.status, headers: { 'content-type': 'application/problem+json' } })
}
