// Analyses that did not fit into storage: this page keeps them in memory until it closes.
import type { Analysis } from '../domain/analysis.ts'
import type { AnalysisSummary } from '../domain/data-services.ts'
import type { StoredAnalyses } from '../storage/browser-storage.ts'

export interface HeldAnalyses extends StoredAnalyses {
  /** Analyses whose last state is only on this page. */
  unsaved(): readonly string[]
  /** Another tab saved or removed it. */
  forget(id: string): void
}

export function holdUnsaved(stored: StoredAnalyses): HeldAnalyses {
  const held = new Map<string, { readonly analysis: Analysis; readonly summary: AnalysisSummary }>()
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
        // Without space the analysis is usable but reported as not saved.
        held.set(analysis.id, { analysis, summary })
      }
    },
    async remove(id) {
      held.delete(id)
      await stored.remove(id)
    },
  }
}
