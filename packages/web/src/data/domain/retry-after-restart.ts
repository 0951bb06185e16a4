import { EngineError } from './query-engine.ts'

/**
 * A database that was lost, mostly by something else than this work, is back by the time that is said: once more then.
 * What it is for has to be harmless to do twice.
 */
export async function retryAfterRestart<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EngineError) || error.problem !== 'dead') throw error
    return work()
  }
}
