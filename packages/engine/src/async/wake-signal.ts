export interface WakeSignal {
  notify(): void
  /** Resolves at the next ring, or at once when it rang since the last time. For one who waits. */
  notified(): Promise<void>
}

export function createWakeSignal(): WakeSignal {
  let isNotified = false
  let wake: (() => void) | null = null
  return {
    notify() {
      isNotified = true
      wake?.()
    },
    async notified() {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      wake = null
      isNotified = false
    },
  }
}
