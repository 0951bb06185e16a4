/** Notifies listeners of a change without saying which. */
export type ChangeEmitter = ReturnType<typeof createChangeEmitter>

export function createChangeEmitter() {
  const listeners = new Set<() => void>()
  return {
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    changed() {
      for (const listener of listeners) listener()
    },
  }
}
