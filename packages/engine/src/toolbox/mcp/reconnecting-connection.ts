// A connection with an MCP server for as long as its session lives: made again when it is lost.
import { setTimeout as sleep } from 'node:timers/promises'
import type { McpServerState } from '../../backends/backend.ts'
import type { Connection } from './connection.ts'

export interface Link {
  readonly connection: Connection
  /** How its process ended, if it has one that did. */
  readonly ended: () => Promise<string | null>
}

export interface ReconnectingConnectionOptions {
  /** One try. Throws a sentence; calls back when what came of it is lost, with how if that is known. */
  readonly connect: (onLost: (how: Promise<string | null>) => void, signal: AbortSignal) => Promise<Link>
  readonly onStatus: (status: McpServerState['status'], why: string | null) => void
  /** Takes values nobody may read out of a text. */
  readonly blank: (text: string) => string
  /** Before each new try; as many tries as there are pauses. */
  readonly pausesMs: readonly number[]
}

export interface ReconnectingConnection {
  /** The first try. Throws a sentence. */
  open(signal: AbortSignal): Promise<void>
  /** Waits for one that is being made again, and tries one again that was given up. `null` when it cannot be had. */
  reach(): Promise<Link | null>
  /** Nothing happens unless it is the one in use: what is told late of an old one is no news of the new one. */
  connectionLost(lost: Link, how: Promise<string | null>): void
  /** Why it cannot be had. */
  unavailableReason(): string
  close(): Promise<void>
}

/** Falls within this time count together. */
const lossWindowMs = 60_000

export function createReconnectingConnection({
  connect,
  onStatus,
  blank,
  pausesMs,
}: ReconnectingConnectionOptions): ReconnectingConnection {
  const closing = new AbortController()
  let link: Link | null = null
  let connecting: Promise<Link | null> | null = null
  let losses: readonly number[] = []
  let unavailableReason = 'it has not been started'

  const notify: ReconnectingConnectionOptions['onStatus'] = (status, why) => {
    if (!closing.signal.aborted) onStatus(status, why)
  }

  async function establish(signal: AbortSignal): Promise<Link> {
    let made: Link | null = null
    try {
      made = await connect(
        (how) => made !== null && connectionLost(made, how),
        AbortSignal.any([signal, closing.signal]),
      )
    } catch (error) {
      unavailableReason = blank(error instanceof Error ? error.message : String(error))
      throw new Error(unavailableReason)
    }
    link = made
    notify('connected', null)
    return made
  }

  function track(work: Promise<Link | null>): Promise<Link | null> {
    const mine = work.finally(() => {
      if (connecting === mine) connecting = null
    })
    connecting = mine
    return mine
  }

  function connectionLost(lost: Link, how: Promise<string | null>): void {
    if (link !== lost || closing.signal.aborted) return
    link = null
    // Monotonic: a change of the system time must not affect which failures count as recent.
    const now = performance.now()
    losses = [...losses.filter((at) => now - at < lossWindowMs), now]
    void track(reconnect(how, pausesMs.slice(losses.length - 1)))
    void lost.connection.close().catch(() => undefined)
  }

  async function reconnect(how: Promise<string | null>, pauses: readonly number[]): Promise<Link | null> {
    unavailableReason = blank((await how) ?? 'it closed the connection')
    notify('restarting', unavailableReason)
    for (const pause of pauses) {
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined)
      if (closing.signal.aborted) return null
      const made = await establish(closing.signal).catch(() => null)
      if (made !== null) return made
    }
    notify('failed', unavailableReason)
    return null
  }

  return {
    async open(signal) {
      notify('connecting', null)
      try {
        await establish(signal)
      } catch (error) {
        if (!signal.aborted) notify('failed', unavailableReason)
        throw error
      }
    },
    async reach() {
      return link ?? (await (connecting ?? track(establish(closing.signal).catch(() => null))))
    },
    connectionLost,
    unavailableReason: () => unavailableReason,
    async close() {
      closing.abort()
      await connecting
      await link?.connection.close().catch(() => undefined)
    },
  }
}
