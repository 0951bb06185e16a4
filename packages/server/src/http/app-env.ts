import type { HttpBindings } from '@hono/node-server'
import type { Principal } from '@quarterdeck/protocol'
import type { WebSocket } from 'ws'

/** The settings with which a route takes over a connection. */
export interface Acceptance {
  readonly maxFrameBytes: number
  readonly protocol?: string
  readonly opened: (ws: WebSocket) => void
}

export interface BodyTiming {
  /** The longest pause between two parts of a body. */
  readonly bodyIdleMs: number
  /** The time for a whole body, plus the time that its bytes take at `minBytesPerMs`. */
  readonly bodyTotalMs: number
}

export interface Upgrade {
  accept(acceptance: Acceptance): void
}

/** The context of a request. The bindings are missing without a socket, as in `app.request()`. */
export interface AppEnv {
  Bindings: Partial<HttpBindings> & {
    /** The caller inside this process, already authenticated: no request can set this. */
    readonly known?: KnownCaller
    /** Set if the connection can become a WebSocket. */
    readonly upgrade?: Upgrade
  }
  Variables: { principal: Principal; requestId: string; key: string | null; bodyTiming?: BodyTiming }
}

export interface KnownCaller {
  readonly principal: Principal
  /** The key of the caller; `null` for the token of the data folder, a browser and a compatibility listener. */
  readonly key: string | null
}
