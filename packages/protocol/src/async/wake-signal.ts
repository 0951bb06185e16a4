/** Wakes one waiting reader. */
export interface WakeSignal {
  notify(): void
  /** Resolves at the next notification, or at once if there was one since the last call. */
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
