import { createContext, runInContext } from 'node:vm'

/** What could not be finished in time. */
export class RanTooLong extends Error {}

interface Stage {
  run: () => void
}

let stage: Stage | null = null

/**
 * Runs what does not wait for anything and ends it when it takes too long. For patterns and schemas of others over texts
 * of others: one bad pair of them would hold up every session of the server for good. Throws `RanTooLong`.
 */
export function runBounded<Value>(work: () => Value, limitMs: number): Value {
  let value: { readonly is: Value } | null = null
  stage ??= createContext({ run: () => undefined }) as Stage // it gives back what it is given
  stage.run = () => {
    value = { is: work() }
  }
  try {
    runInContext('run()', stage, { timeout: limitMs })
  } catch (error) {
    throw isLate(error) ? new RanTooLong(`it took longer than ${limitMs} ms`) : error
  } finally {
    stage.run = () => undefined
  }
  return resultOf(value)
}

/** It is an error of the other context, so it is no `Error` here. */
const isLate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/** A function of its own: what is assigned in another is not seen to be. */
function resultOf<Value>(value: { readonly is: Value } | null): Value {
  if (value === null) throw new Error('nothing was run')
  return value.is
}
