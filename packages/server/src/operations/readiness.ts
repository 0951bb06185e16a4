// Whether the data folder is writable, checked at most once a second: the address is public, and each check is a write.
import type { Logger } from '@quarterdeck/engine'
import { isQuarterdeckError, QuarterdeckError } from '@quarterdeck/protocol'

export interface ReadinessDeps {
  /** Throws while the store cannot be written. */
  readonly checkStore: () => Promise<void>
  readonly now: () => number
  readonly logger: Logger
}

const freshMs = 1000

export function createReadiness({ checkStore, now, logger }: ReadinessDeps): () => Promise<void> {
  let last: { readonly at: number; readonly result: Promise<void> } | undefined
  let isFailing = false

  async function check(): Promise<void> {
    try {
      await checkStore()
    } catch (error) {
      // The address is public: only changes are logged, not every request.
      if (!isFailing) logger.error({ error }, 'the data folder failed a write: not ready')
      isFailing = true
      // The location of the folder and the reason stay in the log.
      const code = isQuarterdeckError(error) ? error.code : 'store.unavailable'
      throw new QuarterdeckError(code, 'the data folder is not writable: see the log of the server')
    }
    if (isFailing) logger.info({}, 'the data folder is writable again: ready')
    isFailing = false
  }

  return () => {
    const at = now()
    if (last === undefined || Math.abs(at - last.at) >= freshMs) last = { at, result: check() }
    return last.result
  }
}
