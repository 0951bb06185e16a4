// A key is looked up when a request comes, and a stream stays open long after: somebody has to look again.
import type { KeyRing, Logger } from '@quarterdeck/engine'

export interface KeyWatchOptions {
  readonly keys: Pick<KeyRing, 'holding' | 'onRevoked'>
  /** How often the keys of open streams are looked at, 250 ms unless said: other processes revoke without a word. */
  readonly keyCheckMs?: number
  readonly logger: Logger
}

export interface WatchedKey {
  /** Aborts when the key is revoked here, soon after it is revoked elsewhere, and when its time is over. */
  readonly revoked: AbortSignal
  release(): void
}

export interface KeyWatch {
  watch(token: string): WatchedKey
}

/** All keys are looked up together, each once for all of its streams, and none while no stream is open. */
export function createKeyWatch({ keys, keyCheckMs = 250, logger }: KeyWatchOptions): KeyWatch {
  const watched = new Map<string, Set<AbortController>>()
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void) | null = null
  let isLooking = false
  let isDue = false

  function lookIn(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void lookNow(), ms).unref()
  }

  /** What is asked for while a look is under way is looked at again: that one may have read too early. */
  async function lookNow(): Promise<void> {
    isDue = true
    if (isLooking) return
    isLooking = true
    let waitMs = keyCheckMs
    while (isDue) {
      isDue = false
      waitMs = await lookAtAll()
    }
    isLooking = false
    if (watched.size > 0) lookIn(waitMs)
  }

  /** Resolves with the time until the next look: a key that ends before is looked at just then. */
  async function lookAtAll(): Promise<number> {
    const tokens = [...watched.keys()]
    try {
      const holding = await keys.holding(tokens)
      for (const token of tokens.filter((one) => !holding.has(one))) {
        for (const stream of watched.get(token) ?? []) stream.abort()
      }
      const ends = [...holding.values()].map(({ msLeft }) => Math.ceil(msLeft))
      return Math.min(keyCheckMs, ...ends)
    } catch (error) {
      // A database that cannot be read for a moment revokes nobody.
      logger.warn({ error }, 'the keys of open streams could not be looked up; trying again')
      return keyCheckMs
    }
  }

  return {
    watch(token) {
      const stream = new AbortController()
      const streams = watched.get(token) ?? new Set()
      // At once for one that is new here: when it ends is not known yet. A look under way has left without it.
      if (streams.size === 0 && isLooking) isDue = true
      else if (streams.size === 0) lookIn(0)
      watched.set(token, streams.add(stream))
      stopListening ??= keys.onRevoked(() => void lookNow())
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
