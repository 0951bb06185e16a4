// The capacity of one connection for outgoing data.

/** Unsent bytes per connection, after which its events wait in the log. */
export const highWaterMarkBytes = 128 * 1024

/** Senders that wait until `canSend`, or until they are released. */
export function createDrainWaiters(canSend: () => boolean) {
  let waiting: (() => void)[] = []
  return {
    drained: (): Promise<void> =>
      new Promise((resolve) => {
        if (canSend()) resolve()
        else waiting.push(resolve)
      }),
    release(): void {
      const released = waiting
      waiting = []
      for (const resolve of released) resolve()
    },
  }
}
