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
  let isFailing = false

  async function look(): Promise<void> {
    try {
      await checkStore()
    } catch (error) {
      // Strangers may ask this as often as they like: the log gets a line for each change, not for each question.
      if (!isFailing) logger.error({ error }, 'the data folder failed a write: not ready')
      isFailing = true
      // Where the folder is and what is wrong with it stays in the log.
      const code = isQuarterdeckError(error) ? error.code : 'store.unavailable'
      throw new QuarterdeckError(code, 'the data folder takes no writes: the log of the server says why')
    }
    if (isFailing) logger.info({}, 'the data folder takes writes again: ready')
    isFailing = false
  }

  return () => {
    const at = now()
    if (last === undefined || Math.abs(at - last.at) >= freshMs) last = { at, result: look() }
    return last.result
  }
}
