// A connection to an MCP server for the life of its session: it reconnects when it is lost.
import { messageOf, sleep } from '@quarterdeck/protocol'
import type { McpServerState } from '../../ports/host-toolbox.ts'
import type { McpConnection } from './connection.ts'

export interface Link {
  readonly connection: McpConnection
  /** How its process ended, if it has one that has ended. */
  readonly ended: () => Promise<string | null>
}

export interface ReconnectingConnectionOptions {
  /** One attempt. Throws with a message. Calls `onLost` when the connection is lost, with the reason if known. */
  readonly connect: (onLost: (how: Promise<string | null>) => void, signal: AbortSignal) => Promise<Link>
  readonly onStatus: (status: McpServerState['status'], why: string | null) => void
  /** Removes secrets from a text. */
  readonly removeSecrets: (text: string) => string
  /** The delays before each attempt; their number limits the attempts. */
  readonly pausesMs: readonly number[]
}

/** Failures within this time count together. */
const lossWindowMs = 60_000

export function createReconnectingConnection({
  connect,
  onStatus,
  removeSecrets,
  pausesMs,
}: ReconnectingConnectionOptions) {
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
      unavailableReason = removeSecrets(messageOf(error))
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

  /** Does nothing unless it is the current connection: late news of an old one is ignored. */
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
    unavailableReason = removeSecrets((await how) ?? 'it closed the connection')
    notify('restarting', unavailableReason)
    for (const pause of pauses) {
      await sleep(pause, closing.signal)
      if (closing.signal.aborted) return null
      const made = await establish(closing.signal).catch(() => null)
      if (made !== null) return made
    }
    notify('failed', unavailableReason)
    return null
  }

  return {
    /** The first attempt. Throws with a message. */
    async open(signal: AbortSignal) {
      notify('connecting', null)
      try {
        await establish(signal)
      } catch (error) {
        if (!signal.aborted) notify('failed', unavailableReason)
        throw error
      }
    },
    /** Waits for a running reconnect, and retries an abandoned connection. `null` if there is none. */
    async reach() {
      return link ?? (await (connecting ?? track(establish(closing.signal).catch(() => null))))
    },
    connectionLost,
    /** Why there is no connection. */
    unavailableReason: () => unavailableReason,
    async close() {
      closing.abort()
      await connecting
      await link?.connection.close().catch(() => undefined)
    },
  }
}
