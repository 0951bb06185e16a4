// A house with its doors open: the port, the engine behind it, and the application between the two.
import { setMaxListeners } from 'node:events'
import { folderFailure } from '@quarterdeck/engine'
import { ensureAccessToken } from './auth/access-token.ts'
import { createSigner } from './auth/create-signer.ts'
import { createLoginLinks } from './auth/login-links.ts'
import { createApp } from './create-app.ts'
import type { DoorPlan, ServedDoor } from './doors/door-plan.ts'
import { closeDoors, openWireDoors, type PlannedDoor, takeDoorPorts } from './doors/open-wire-doors.ts'
import { exposureWarning, refuseExposure } from './exposure.ts'
import { type Door, openDoor } from './open-door.ts'
import { type House, type HouseOptions, openHouse } from './open-house.ts'
import { checkedOrigins } from './requests/allowed-origins.ts'
import type { RateLimits } from './requests/rate-limits.ts'
import { serveApp } from './serve-app.ts'
import { createSharedDeps } from './shared-deps.ts'
import type { StreamTiming } from './transports/stream-deps.ts'
import { webFolder } from './web-assets.ts'

export interface ServerOptions {
  readonly house: Omit<HouseOptions, 'role' | 'address' | 'host' | 'canAsk'>
  readonly host: string
  /** A taken one gives the next free one; 0 takes any. */
  readonly port: number
  readonly publicUrl?: string
  readonly allowedOrigins?: readonly string[]
  readonly timing?: Partial<StreamTiming>
  readonly rateLimits?: Partial<RateLimits>
  readonly webFolder?: string
  /** Foreign wires on loopback ports of their own, without a token. */
  readonly doors?: readonly DoorPlan[]
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  readonly house: House
  readonly doors: readonly ServedDoor[]
  /** A new link that signs one browser in, once, within ten minutes. */
  loginLink(): string
  /** Refuses new work, lets running turns end for `graceMs`, then interrupts them. */
  drain(graceMs: number): Promise<void>
  /** Ends streams and connections, then the engine and every process it started. */
  close(): Promise<void>
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const allowedOrigins = checkedOrigins(options.allowedOrigins ?? [])
  const plans = (options.doors ?? []).map(({ origins = [], ...plan }) => ({
    ...plan,
    origins: checkedOrigins(origins),
  }))
  const door = await openDoor(options.host, options.port)
  let planned: readonly PlannedDoor[] = []
  try {
    planned = await takeDoorPorts(plans)
    const { dataDir } = options.house
    const accessToken = await ensureAccessToken(dataDir).catch((error: unknown) => {
      throw folderFailure(dataDir, error)
    })
    const url = options.publicUrl?.replace(/\/+$/, '') ?? door.url
    const place = { role: 'server', address: url, host: options.host, canAsk: true } as const
    const house = await openHouse({ ...options.house, ...place })
    return await serveHouse({ ...options, allowedOrigins }, { door, planned, house, url, accessToken }).catch(
      async (error: unknown) => {
        await house.close()
        throw error
      },
    )
  } catch (error) {
    await Promise.all([door.close(0), closeDoors(planned, 0)])
    throw error
  }
}

interface Parts {
  readonly door: Door
  readonly planned: readonly PlannedDoor[]
  readonly house: House
  readonly url: string
  readonly accessToken: string
}

async function serveHouse(options: ServerOptions, parts: Parts): Promise<RunningServer> {
  const { door, planned, house, url, accessToken } = parts
  refuseExposure(options.host, await house.agents.loaded())
  const warning = exposureWarning(options.host)
  if (warning !== null) options.house.logger.warn({ host: options.host }, warning)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // one per open stream
  const loginLinks = createLoginLinks(Date.now)
  let isDraining = false
  const { rateLimits, timing } = options
  const { logger } = options.house
  const made = createSharedDeps(house, { logger, rateLimits, timing })
  const shared = { ...made, closing: closing.signal, isDraining: () => isDraining }
  const doors = await openWireDoors(planned, { ...shared, agents: house.agents, sign: createSigner(accessToken) })
  const app = createApp({
    ...shared,
    ...{ accessToken, loginLinks },
    checkStore: house.engine.check,
    dataDir: options.house.dataDir,
    doors: () => doors,
    webFolder: options.webFolder ?? webFolder(),
    host: options.host,
    publicUrl: options.publicUrl ?? null,
    allowedOrigins: options.allowedOrigins ?? [],
  })
  serveApp(door, app, options.house.logger)

  return {
    ...{ url, port: door.port, house, doors },
    loginLink: () => `${url}/login?code=${loginLinks.issue()}`,
    async drain(graceMs) {
      isDraining = true
      await house.engine.drain(graceMs)
    },
    async close() {
      isDraining = true
      closing.abort()
      await Promise.all([door.close(closeGraceMs), closeDoors(planned, closeGraceMs)])
      await made.background.ended()
      await house.close()
    },
  }
}

/** Time for answers under way to leave: they are short once the streams have ended. */
const closeGraceMs = 2000
