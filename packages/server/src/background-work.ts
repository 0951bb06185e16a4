/** Work that no request waits for. The store stays open until all of it has ended. */
export interface BackgroundWork {
  run(work: Promise<void>): void
  /** Resolves when everything that was started has ended, including work started meanwhile. */
  ended(): Promise<void>
}

export function createBackgroundWork(): BackgroundWork {
  const running = new Set<Promise<void>>()
  return {
    run(work) {
      running.add(work)
      const done = () => void running.delete(work)
      work.then(done, done)
    },
    async ended() {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
