// A WebSocket is a route like any other: host, origin, key and rate are looked at before it is opened.
import { type Permission, type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { Context, Hono } from 'hono'
import type { AppEnv } from '../http/app-env.ts'
import { createSocket, type Socket } from '../transports/socket.ts'
import type { StreamDeps } from '../transports/stream-deps.ts'
import { requirePermission } from './mount-route.ts'

export interface SocketRoute {
  readonly path: string
  readonly needs: Permission
  /** The largest frame that is read, 1 MiB unless said. */
  readonly maxFrameBytes?: number
  /** The subprotocol that is agreed on where a client offers it; unless said the first it offers that is no token. */
  readonly protocol?: string
  /**
   * Looked at before the connection is opened: what it throws is answered as over HTTP. What it returns serves the
   * connection, until it resolves; then the connection is closed.
   */
  readonly open: (call: SocketCall) => Promise<(socket: Socket) => Promise<void>>
}

export interface SocketCall {
  readonly principal: Principal
  /** The key it came with; `null` for the token of the data folder, for a browser and for a door. */
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
      throw new QuarterdeckError('request.upgrade-required', 'this address speaks WebSocket: open it with one')
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

/** Nobody sees it: the connection goes on as a WebSocket. */
const acceptedResponse = (c: Context<AppEnv>): Response => c.body(null, 204)
