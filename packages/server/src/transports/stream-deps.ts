import type { Logger } from '@quarterdeck/engine'
import type { KeyWatch } from '../auth/key-watch.ts'
import type { BodyTiming } from '../http/app-env.ts'
import { defaultBodyTiming } from '../http/body-timing.ts'

/** Time limits of event streams, sockets and request bodies. */
export interface StreamTiming extends BodyTiming {
  /** Interval of heartbeats, which keep proxies from closing idle connections and detect stalled ones. */
  readonly heartbeatMs: number
  /** A reader that reads nothing for this long is disconnected; it can resume at its cursor. */
  readonly stallMs: number
}

export const defaultStreamTiming: StreamTiming = { heartbeatMs: 15_000, stallMs: 60_000, ...defaultBodyTiming }

export interface StreamDeps {
  readonly timing: StreamTiming
  readonly keyWatch: KeyWatch
  /** Ends all of them when the server stops. */
  readonly closing: AbortSignal
  readonly logger: Logger
  /** Called for each opened stream; the returned function is called when it ends. */
  readonly onOpened?: (transport: 'sse' | 'ws') => () => void
}
