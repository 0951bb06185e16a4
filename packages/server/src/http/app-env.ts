import type { HttpBindings } from '@hono/node-server'
import type { Principal } from '@quarterdeck/protocol'
import type { BodyTiming } from './body-timing.ts'
import type { Upgrade } from './upgrade.ts'

/** What travels with a request. The bindings are missing where no socket is behind it, as in `app.request()`. */
export interface AppEnv {
  Bindings: Partial<HttpBindings> & {
    /** Whoever calls the application inside this process has proved already who it is: no request can bring this. */
    readonly known?: KnownCaller
    /** Set where the connection can become a WebSocket. */
    readonly upgrade?: Upgrade
  }
  Variables: { principal: Principal; requestId: string; key: string | null; bodyTiming?: BodyTiming }
}

export interface KnownCaller {
  readonly principal: Principal
  /** The key it came with; `null` for the token of the data folder, for a browser and for a door. */
  readonly key: string | null
}
