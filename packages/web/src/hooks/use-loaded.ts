import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useEffect, useState } from 'react'
import { failureOf } from '../stores/primitives/failure.ts'

export interface Loaded<Value> {
  /** `null` until it is there. */
  readonly value: Value | null
  readonly failure: QuarterdeckError | null
  /** Once more, after a failure. */
  again(): void
}

const nothing = { value: null, failure: null }

/** Reads something once, and again when `load` is another function: keep it with `useCallback`. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [loaded, setLoaded] = useState<Omit<Loaded<Value>, 'again'>>(nothing)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try is another reading
  useEffect(() => {
    let isLeft = false
    setLoaded(nothing)
    load().then(
      (value) => isLeft || setLoaded({ value, failure: null }),
      (error: unknown) => isLeft || setLoaded({ value: null, failure: failureOf(error) }),
    )
    return () => {
      isLeft = true
    }
  }, [load, tries])
  return { ...loaded, again: () => setTries((count) => count + 1) }
}
