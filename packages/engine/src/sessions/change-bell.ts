/** Tells whoever listens that something has changed; they look for themselves what. */
export interface ChangeBell {
  onChange(listener: () => void): () => void
  changed(): void
}

export function createChangeBell(): ChangeBell {
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
