// A key is looked up when a request comes, and a stream stays open long after: somebody has to look again.
import type { Logger } from '@quarterdeck/engine'
import type { Principal } from '@quarterdeck/protocol'

export interface KeyWatchOptions {
  /** Whose key it is, or `null` for a token that is none (any more). */
  readonly findKey: (token: string) => Promise<Principal | null>
  /** How often the keys of open streams are looked at, 5 s unless said: a revoked one loses its streams. */
  readonly keyCheckMs?: number
  readonly logger: Logger
}

export interface WatchedKey {
  /** Aborts soon after the key was revoked. */
  readonly revoked: AbortSignal
  release(): void
}

export interface KeyWatch {
  watch(token: string): WatchedKey
}

/** Each key is looked up once for all of its streams, and none while no stream is open. */
export function createKeyWatch({ findKey, keyCheckMs = 5000, logger }: KeyWatchOptions): KeyWatch {
  const watched = new Map<string, Set<AbortController>>()
  let timer: NodeJS.Timeout | null = null
  let isLooking = false

  async function lookAtAll(): Promise<void> {
    if (isLooking) return
    isLooking = true
    for (const token of [...watched.keys()]) await look(token)
    isLooking = false
  }

  async function look(token: string): Promise<void> {
    try {
      if ((await findKey(token)) !== null) return
      for (const stream of watched.get(token) ?? []) stream.abort()
    } catch (error) {
      // A database that cannot be read for a moment revokes nobody.
      logger.warn({ error }, 'the keys of open streams could not be looked up; trying again')
    }
  }

  return {
    watch(token) {
      const stream = new AbortController()
      const streams = watched.get(token) ?? new Set()
      watched.set(token, streams.add(stream))
      timer ??= setInterval(() => void lookAtAll(), keyCheckMs).unref()
      return {
        revoked: stream.signal,
        release() {
          streams.delete(stream)
          if (streams.size === 0 && watched.get(token) === streams) watched.delete(token)
          if (watched.size > 0 || timer === null) return
          clearInterval(timer)
          timer = null
        },
      }
    },
  }
}
