// Saves a frequently changing value: soon after a change, or at once before another side learns of it.

export interface Saver {
  /** Call after a change. */
  soon(): void
  /** Resolves when all earlier changes are saved or failed to save: a full disk does not block callers. */
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
      // Without storage the page works until it closes. The next change retries.
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
