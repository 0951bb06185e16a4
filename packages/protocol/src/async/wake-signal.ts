/** Wakes one waiting reader. */
export function createWakeSignal() {
  let isNotified = false
  let wake: (() => void) | null = null
  return {
    notify() {
      isNotified = true
      wake?.()
    },
    /** Resolves at the next notification, or at once if there was one since the last call. */
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
