import type { Logger } from '@quarterdeck/engine'
import type { KeyWatch } from '../auth/key-watch.ts'
import { type BodyTiming, defaultBodyTiming } from '../http/body-timing.ts'

/** Time limits of event streams, sockets and request bodies. */
export interface StreamTiming extends BodyTiming {
  /** How often a quiet one is kept from being closed by proxies, and looked at. */
  readonly heartbeatMs: number
  /** A reader that takes nothing for this long is cut off; it comes back with its cursor. */
  readonly stallMs: number
}

export const defaultStreamTiming: StreamTiming = { heartbeatMs: 15_000, stallMs: 60_000, ...defaultBodyTiming }

export interface StreamDeps {
  readonly timing: StreamTiming
  readonly keyWatch: KeyWatch
  /** Ends all of them: the server goes. */
  readonly closing: AbortSignal
  readonly logger: Logger
  /** Told of each; what it returns is called when that one is over. */
  readonly onOpened?: (transport: 'sse' | 'ws') => () => void
}
