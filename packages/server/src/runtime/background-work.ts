/** Work that no request waits for. The server closes its store after all of it has ended. */
export interface BackgroundWork {
  /** `work` reports its own failures: a rejection is ignored. */
  track(work: Promise<void>): void
  /** Resolves when all tracked work has ended, including work that is tracked meanwhile. */
  ended(): Promise<void>
}

export function createBackgroundWork(): BackgroundWork {
  const running = new Set<Promise<void>>()
  return {
    track(work) {
      running.add(work)
      const done = () => void running.delete(work)
      work.then(done, done)
    },
    async ended() {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
