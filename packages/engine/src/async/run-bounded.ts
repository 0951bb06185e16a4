import { createContext, runInContext } from 'node:vm'

/** The work exceeded its time limit. */
export class RanTooLong extends Error {}

interface Stage {
  run: () => void
}

let stage: Stage | null = null

/**
 * Runs synchronous work with a time limit. For patterns and schemas from outside on texts from outside: one bad pair
 * would block every session of the server. Throws `RanTooLong`.
 */
export function runBounded<Value>(work: () => Value, limitMs: number): Value {
  let value: { readonly is: Value } | null = null
  stage ??= createContext({ run: () => undefined }) as Stage // the context is the object that it was created from
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

/** The error belongs to the other context, so it is not an instance of this one's `Error`. */
const isLate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/** A separate function, because the compiler does not see the assignment in a callback. */
function resultOf<Value>(value: { readonly is: Value } | null): Value {
  if (value === null) throw new Error('the work did not run')
  return value.is
}
