// Closes opened resources again, even if opening all of them failed halfway.
import type { Logger } from '../ports/logger.ts'

export interface Closers {
  add(close: () => unknown): void
  /** In reverse order, each one even if others fail. Rejects with the first failure. */
  close(): Promise<void>
}

export function createClosers(logger: Logger): Closers {
  const opened: (() => unknown)[] = []
  return {
    add: (close) => void opened.push(close),
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
