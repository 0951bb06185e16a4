// Whether the data folder takes writes, asked at most once a second: the address is open to everybody, and each look
// at the disk is a write.
import type { Logger } from '@quarterdeck/engine'
import { isQuarterdeckError, QuarterdeckError } from '@quarterdeck/protocol'

export interface ReadinessDeps {
  /** Throws while nothing can be written. */
  readonly checkStore: () => Promise<void>
  readonly now: () => number
  readonly logger: Logger
}

const freshMs = 1000

export function createReadiness({ checkStore, now, logger }: ReadinessDeps): () => Promise<void> {
  let last: { readonly at: number; readonly result: Promise<void> } | undefined

  async function look(): Promise<void> {
    try {
      await checkStore()
    } catch (error) {
      logger.error({ error }, 'the data folder failed a write: not ready')
      if (!isQuarterdeckError(error)) throw error
      // Strangers may ask this: where the folder is and what is wrong with it stays in the log.
      throw new QuarterdeckError(error.code, 'the data folder takes no writes: the log of the server says why')
    }
  }

  return () => {
    const at = now()
    if (last === undefined || Math.abs(at - last.at) >= freshMs) last = { at, result: look() }
    return last.result
  }
}
