// Writing down what changes all the time: soon, and at once where somebody else is about to hear of it.

export interface Saver {
  /** Something changed. */
  soon(): void
  /** Resolves when everything that changed before is written, or could not be: nobody waits for a full disk. */
  now(): Promise<void>
}

export function createSaver(write: () => Promise<void>, delayMs = 250): Saver {
  let isDue = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing = Promise.resolve()

  async function writeOnce(): Promise<void> {
    if (!isDue) return
    isDue = false
    try {
      await write()
    } catch {
      // Without a place to keep it the page works all the same, until it is left. The next change tries again.
    }
  }

  function now(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeOnce)
    return writing
  }

  return {
    soon() {
      isDue = true
      timer ??= setTimeout(() => void now(), delayMs)
    },
    now,
  }
}
