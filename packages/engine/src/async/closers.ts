// Closes opened resources again, even if opening all of them failed halfway.
import type { Logger } from '../ports/logger.ts'

export type Closers = ReturnType<typeof createClosers>

export function createClosers(logger: Logger) {
  const opened: (() => unknown)[] = []
  return {
    add: (close: () => unknown): void => void opened.push(close),
    /** In reverse order, each one even if others fail. Rejects with the first failure. */
    async close() {
      const failures: unknown[] = []
      for (const close of opened.splice(0).reverse()) {
        try {
          await close()
        } catch (error) {
          logger.error({ error }, 'a part of the engine could not be closed')
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
