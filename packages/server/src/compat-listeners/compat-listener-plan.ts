// The configuration of a compatibility listener.
import type { ServerInfo } from '@quarterdeck/protocol'
import type { WireName } from '../wires/wire.ts'

/** Serves one foreign protocol at its original addresses, on its own loopback port, without a token, for one agent. */
export interface CompatListenerPlan {
  readonly wire: WireName
  /** Used exactly; 0 for any. By default the port of `defaultCompatPorts`, or the next free one. */
  readonly port?: number
  /** By default the only agent that is served. */
  readonly agent?: string
  /** Origins whose pages may use it, besides its own. Programs send no `Origin` and are always allowed. */
  readonly origins?: readonly string[]
}

/** An open compatibility listener, as `GET /v1/server` lists it. */
export type ServedCompatListener = ServerInfo['compatListeners'][number]

/** The ports that clients of these protocols expect. */
export const defaultCompatPorts: Readonly<Record<WireName, number>> = {
  chat: 8000,
  'claude-agent-server': 3000,
  analyze: 3001,
}
