// Mounts a WebSocket as a route: host, origin, key and rate are checked before it is opened.
import { type Permission, type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { Context, Hono } from 'hono'
import { requirePermission } from '../auth/require-permission.ts'
import type { AppEnv } from '../http/app-env.ts'
import { createSocket, type Socket } from './socket.ts'
import type { StreamDeps } from './stream-deps.ts'

export interface SocketRoute {
  readonly path: string
  readonly permission: Permission
  /** The largest accepted frame; 1 MiB by default. */
  readonly maxFrameBytes?: number
  /** The subprotocol to select if the client offers it; by default its first offer that is not a token. */
  readonly protocol?: string
  /**
   * Runs before the connection is opened: errors are answered over HTTP. The returned function serves the connection,
   * which is closed when it resolves.
   */
  readonly open: (call: SocketCall) => Promise<(socket: Socket) => Promise<void>>
}

export interface SocketCall {
  readonly principal: Principal
  /** The key of the client; `null` for the token of the data folder, a browser and a compatibility listener. */
  readonly key: string | null
  readonly query: Readonly<Record<string, string>>
}

const defaultMaxFrameBytes = 1024 * 1024

export function mountSocket(app: Hono<AppEnv>, route: SocketRoute, deps: StreamDeps): void {
  app.get(route.path, async (c) => {
    requirePermission(c, route)
    const upgrade = c.env?.upgrade
    if (upgrade === undefined) {
      c.header('upgrade', 'websocket')
      throw new QuarterdeckError('request.upgrade-required', 'this address is a WebSocket: open it as one')
    }
    const key = c.get('key')
    const serve = await route.open({ principal: c.get('principal'), key, query: c.req.query() })
    const { maxFrameBytes = defaultMaxFrameBytes, protocol } = route
    upgrade.accept({
      maxFrameBytes,
      ...(protocol === undefined ? {} : { protocol }),
      opened(ws) {
        const watched = key === null ? null : deps.keyWatch.watch(key)
        const closed = deps.onOpened?.('ws')
        const revoked = watched?.revoked ?? null
        const socket = createSocket(ws, { timing: deps.timing, maxFrameBytes, closing: deps.closing, revoked })
        serve(socket)
          .catch((error: unknown) => {
            deps.logger.error({ path: c.req.path, error }, 'a connection failed')
            socket.close(1011, 'the server failed')
          })
          .finally(() => {
            watched?.release()
            closed?.()
            socket.close(1000, '')
          })
      },
    })
    return acceptedResponse(c)
  })
}

/** Never sent: the connection becomes a WebSocket. */
const acceptedResponse = (c: Context<AppEnv>): Response => c.body(null, 204)
