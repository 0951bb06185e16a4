// What a door is asked to be, before anything is opened.
import type { ServerInfo } from '@quarterdeck/protocol'
import type { WireName } from '../wires/wire.ts'

/** One foreign wire at its original addresses, on a loopback port of its own, without a token, for one agent. */
export interface CompatListenerPlan {
  readonly wire: WireName
  /** Taken exactly; 0 takes any. The usual one of this wire, or the next free after it, unless said. */
  readonly port?: number
  /** The only one that is served, unless said. */
  readonly agent?: string
  /** Whose pages may use it, beside its own. Programs, which send no `Origin`, always may. */
  readonly origins?: readonly string[]
}

/** A door that is open, as the server tells of it. */
export type ServedCompatListener = ServerInfo['compatListeners'][number]

/** Where clients written for these wires look for them. */
export const defaultCompatPorts: Readonly<Record<WireName, number>> = {
  chat: 8000,
  'claude-agent-server': 3000,
  analyze: 3001,
}
