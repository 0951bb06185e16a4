/** Limits the concurrent calls by their weight; each may be at most `count`. */
export function createCallLimit(count: number) {
  const waiting: { readonly weight: number; readonly go: () => void }[] = []
  let watchers: (() => void)[] = []
  let taken = 0
  return {
    /** Resolves when this many are free, in first-in, first-out order. */
    async take(weight: number) {
      if (waiting.length > 0 || taken + weight > count) {
        await new Promise<void>((go) => waiting.push({ weight, go })) // `release` has taken them for this caller
      } else taken += weight
    },
    release(weight: number) {
      taken -= weight
      for (let next = waiting[0]; next !== undefined && taken + next.weight <= count; next = waiting[0]) {
        waiting.shift()
        taken += next.weight
        next.go()
      }
      if (taken > 0) return
      for (const watcher of watchers) watcher()
      watchers = []
    },
    /** Resolves when none is in use. */
    allFree: (): Promise<void> => (taken === 0 ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve))),
  }
}
