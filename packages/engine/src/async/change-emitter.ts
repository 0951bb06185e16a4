/** Notifies listeners of a change without saying which. */
export interface ChangeEmitter {
  onChange(listener: () => void): () => void
  changed(): void
}

export function createChangeEmitter(): ChangeEmitter {
  const listeners = new Set<() => void>()
  return {
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    changed() {
      for (const listener of listeners) listener()
    },
  }
}
