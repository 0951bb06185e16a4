/** A set of listeners that are all called with the same arguments. */
export type Emitter<Args extends readonly unknown[] = []> = ReturnType<typeof createEmitter<Args>>

export function createEmitter<Args extends readonly unknown[] = []>() {
  const listeners = new Set<(...args: Args) => void>()
  return {
    /** Returns a function that unsubscribes. */
    listen(listener: (...args: Args) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit(...args: Args): void {
      for (const listener of listeners) listener(...args)
    },
  }
}
