import type { QuarterdeckError } from '@quarterdeck/protocol'
import { useEffect, useState } from 'react'
import { failureOf } from '../stores/primitives/failure.ts'

export interface Loaded<Value> {
  /** `null` until it is loaded. */
  readonly value: Value | null
  readonly failure: QuarterdeckError | null
  /** Loads again, for example after a failure. */
  again(): void
}

const nothing = { value: null, failure: null }

/** Loads a value once, and again when `load` changes: memoize it with `useCallback`. */
export function useLoaded<Value>(load: () => Promise<Value>): Loaded<Value> {
  const [loaded, setLoaded] = useState<Omit<Loaded<Value>, 'again'>>(nothing)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try is another reading
  useEffect(() => {
    let isUnmounted = false
    setLoaded(nothing)
    load().then(
      (value) => isUnmounted || setLoaded({ value, failure: null }),
      (error: unknown) => isUnmounted || setLoaded({ value: null, failure: failureOf(error) }),
    )
    return () => {
      isUnmounted = true
    }
  }, [load, tries])
  return { ...loaded, again: () => setTries((count) => count + 1) }
}
