export interface Slots {
  /** Resolves when one is free, first come first served. */
  take(): Promise<void>
  release(): void
  /** Resolves when none is taken. */
  allFree(): Promise<void>
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = []
  let watchers: (() => void)[] = []
  let taken = 0
  return {
    async take() {
      if (taken >= count) await new Promise<void>((resolve) => waiting.push(resolve))
      else taken += 1
    },
    release() {
      const next = waiting.shift()
      if (next !== undefined) return next() // the slot changes hands
      taken -= 1
      if (taken > 0) return
      for (const watcher of watchers) watcher()
      watchers = []
    },
    allFree: () => (taken === 0 ? Promise.resolve() : new Promise((resolve) => watchers.push(resolve))),
  }
}
