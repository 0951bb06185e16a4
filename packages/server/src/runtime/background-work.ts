/** Work that no request waits for. The server closes its store after all of it has ended. */
export type BackgroundWork = ReturnType<typeof createBackgroundWork>

export function createBackgroundWork() {
  const running = new Set<Promise<void>>()
  return {
    /** `work` reports its own failures: a rejection is ignored. */
    track(work: Promise<void>) {
      running.add(work)
      const done = () => void running.delete(work)
      work.then(done, done)
    },
    /** Resolves when all tracked work has ended, including work that is tracked meanwhile. */
    async ended() {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
