// Analyses that the browser has no space for: this page has them until it is left.
import type { Analysis } from '../domain/analysis.ts'
import type { StoredAnalyses } from '../storage/browser-storage.ts'

export interface HeldAnalyses extends StoredAnalyses {
  /** Those whose last state is only on this page. */
  unsaved(): readonly string[]
  /** Another tab has kept it, or removed it. */
  forget(id: string): void
}

type Held = Parameters<StoredAnalyses['save']>

export function holdUnsaved(stored: StoredAnalyses): HeldAnalyses {
  const held = new Map<string, { readonly analysis: Analysis; readonly summary: Held[1] }>()
  return {
    unsaved: () => [...held.keys()],
    forget: (id) => void held.delete(id),
    async list() {
      const listed = await stored.list().catch(() => [])
      const only = [...held.values()].map(({ summary }) => summary)
      return [...only, ...listed.filter(({ id }) => !held.has(id))].toSorted((one, other) =>
        other.changedAt.localeCompare(one.changedAt),
      )
    },
    load: async (id) => held.get(id)?.analysis ?? stored.load(id),
    async save(analysis, summary) {
      try {
        await stored.save(analysis, summary)
        held.delete(analysis.id)
      } catch {
        // No space: it is used all the same, and says that it is not kept.
        held.set(analysis.id, { analysis, summary })
      }
    },
    async remove(id) {
      held.delete(id)
      await stored.remove(id)
    },
  }
}
