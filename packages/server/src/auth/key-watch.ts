// Re-checks the keys of open streams: a key is checked when a request arrives, but a stream stays open for long.
import type { KeyRing, Logger } from '@quarterdeck/engine'

export interface KeyWatchOptions {
  readonly keys: Pick<KeyRing, 'holding' | 'onRevoked'>
  /** Interval of checks, 250 ms by default: other processes revoke keys without a notification. */
  readonly keyCheckMs?: number
  readonly logger: Logger
}

export interface WatchedKey {
  /** Aborts when the key is revoked here, soon after it is revoked elsewhere, and when it expires. */
  readonly revoked: AbortSignal
  release(): void
}

export type KeyWatch = ReturnType<typeof createKeyWatch>

/** Looks up all keys together, each once for all its streams, and none while no stream is open. */
export function createKeyWatch({ keys, keyCheckMs = 250, logger }: KeyWatchOptions) {
  const watched = new Map<string, Set<AbortController>>()
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void) | null = null
  let isChecking = false
  let isDue = false

  function checkAfter(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void checkNow(), ms).unref()
  }

  /** A request during a lookup triggers another one: the running lookup may have read too early. */
  async function checkNow(): Promise<void> {
    isDue = true
    if (isChecking) return
    isChecking = true
    let waitMs = keyCheckMs
    while (isDue) {
      isDue = false
      waitMs = await checkAll()
    }
    isChecking = false
    if (watched.size > 0) checkAfter(waitMs)
  }

  /** Resolves with the time until the next check: earlier if a key expires before. */
  async function checkAll(): Promise<number> {
    const tokens = [...watched.keys()]
    try {
      const holding = await keys.holding(tokens)
      for (const token of tokens.filter((one) => !holding.has(one))) {
        for (const stream of watched.get(token) ?? []) stream.abort()
      }
      const ends = [...holding.values()].map(({ msLeft }) => Math.ceil(msLeft))
      return Math.min(keyCheckMs, ...ends)
    } catch (error) {
      // An unreadable database does not revoke keys.
      logger.warn({ error }, 'the keys of open streams could not be looked up; trying again')
      return keyCheckMs
    }
  }

  return {
    watch(token: string): WatchedKey {
      const stream = new AbortController()
      const streams = watched.get(token) ?? new Set()
      // At once for a new key, whose expiry is unknown. A running lookup does not include it.
      if (streams.size === 0 && isChecking) isDue = true
      else if (streams.size === 0) checkAfter(0)
      watched.set(token, streams.add(stream))
      stopListening ??= keys.onRevoked(() => void checkNow())
      return {
        revoked: stream.signal,
        release() {
          streams.delete(stream)
          if (streams.size === 0 && watched.get(token) === streams) watched.delete(token)
          if (watched.size > 0) return
          clearTimeout(timer)
          stopListening?.()
          stopListening = null
        },
      }
    },
  }
}
