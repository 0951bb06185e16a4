// A connection with an MCP server for as long as its session lives: made again when it is lost.
import { setTimeout as sleep } from 'node:timers/promises'
import type { McpServerState } from '../../backends/backend.ts'
import type { Connection } from './connection.ts'

export interface Link {
  readonly connection: Connection
  /** How its process ended, if it has one that did. */
  readonly ended: () => Promise<string | null>
}

export interface KeptConnectionOptions {
  /** One try. Throws a sentence; calls back when what came of it is lost, with how if that is known. */
  readonly connect: (onLost: (how: Promise<string | null>) => void, signal: AbortSignal) => Promise<Link>
  readonly onStatus: (status: McpServerState['status'], why: string | null) => void
  /** Takes values nobody may read out of a text. */
  readonly blank: (text: string) => string
  /** Before each new try; as many tries as there are pauses. */
  readonly pausesMs: readonly number[]
}

export interface KeptConnection {
  /** The first try. Throws a sentence. */
  open(signal: AbortSignal): Promise<void>
  /** Waits for one that is being made again, and tries one again that was given up. `null` when it cannot be had. */
  reach(): Promise<Link | null>
  /** Nothing happens unless it is the one in use: what is told late of an old one is no news of the new one. */
  fall(lost: Link, how: Promise<string | null>): void
  /** Why it cannot be had. */
  whyNot(): string
  close(): Promise<void>
}

/** Falls within this time count together. */
const fallsWithinMs = 60_000

export function createKeptConnection({ connect, onStatus, blank, pausesMs }: KeptConnectionOptions): KeptConnection {
  const closing = new AbortController()
  let link: Link | null = null
  let coming: Promise<Link | null> | null = null
  let falls: readonly number[] = []
  let whyNot = 'it has not been started'

  const tell: KeptConnectionOptions['onStatus'] = (status, why) => {
    if (!closing.signal.aborted) onStatus(status, why)
  }

  async function establish(signal: AbortSignal): Promise<Link> {
    let made: Link | null = null
    try {
      made = await connect((how) => made !== null && fall(made, how), AbortSignal.any([signal, closing.signal]))
    } catch (error) {
      whyNot = blank(error instanceof Error ? error.message : String(error))
      throw new Error(whyNot)
    }
    link = made
    tell('connected', null)
    return made
  }

  function come(work: Promise<Link | null>): Promise<Link | null> {
    const mine = work.finally(() => {
      if (coming === mine) coming = null
    })
    coming = mine
    return mine
  }

  function fall(lost: Link, how: Promise<string | null>): void {
    if (link !== lost || closing.signal.aborted) return
    link = null
    // Monotonic: a change of the system time must not affect which failures count as recent.
    const now = performance.now()
    falls = [...falls.filter((at) => now - at < fallsWithinMs), now]
    void come(comeBack(how, pausesMs.slice(falls.length - 1)))
    void lost.connection.close().catch(() => undefined)
  }

  async function comeBack(how: Promise<string | null>, pauses: readonly number[]): Promise<Link | null> {
    whyNot = blank((await how) ?? 'it closed the connection')
    tell('restarting', whyNot)
    for (const pause of pauses) {
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined)
      if (closing.signal.aborted) return null
      const made = await establish(closing.signal).catch(() => null)
      if (made !== null) return made
    }
    tell('failed', whyNot)
    return null
  }

  return {
    async open(signal) {
      tell('connecting', null)
      try {
        await establish(signal)
      } catch (error) {
        if (!signal.aborted) tell('failed', whyNot)
        throw error
      }
    },
    async reach() {
      return link ?? (await (coming ?? come(establish(closing.signal).catch(() => null))))
    },
    fall,
    whyNot: () => whyNot,
    async close() {
      closing.abort()
      await coming
      await link?.connection.close().catch(() => undefined)
    },
  }
}
