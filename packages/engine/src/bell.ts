export interface Bell {
  ring(): void
  /** Resolves at the next ring, or at once when it rang since the last time. For one who waits. */
  rung(): Promise<void>
}

export function createBell(): Bell {
  let hasRung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      hasRung = true
      wake?.()
    },
    async rung() {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      wake = null
      hasRung = false
    },
  }
}
