// Analyses that the browser has no space for: this page has them until it is left.
import type { Analysis } from '../analysis.ts'
import type { KeptAnalyses } from '../kept/kept.ts'

export interface HeldAnalyses extends KeptAnalyses {
  /** Those whose last state is only on this page. */
  unkept(): readonly string[]
  /** Another tab has kept it, or removed it. */
  forget(id: string): void
}

type Held = Parameters<KeptAnalyses['save']>

export function holdUnkept(kept: KeptAnalyses): HeldAnalyses {
  const held = new Map<string, { readonly analysis: Analysis; readonly summary: Held[1] }>()
  return {
    unkept: () => [...held.keys()],
    forget: (id) => void held.delete(id),
    async list() {
      const listed = await kept.list().catch(() => [])
      const only = [...held.values()].map(({ summary }) => summary)
      return [...only, ...listed.filter(({ id }) => !held.has(id))].toSorted((one, other) =>
        other.changedAt.localeCompare(one.changedAt),
      )
    },
    load: async (id) => held.get(id)?.analysis ?? kept.load(id),
    async save(analysis, summary) {
      try {
        await kept.save(analysis, summary)
        held.delete(analysis.id)
      } catch {
        // No space: it is used all the same, and says that it is not kept.
        held.set(analysis.id, { analysis, summary })
      }
    },
    async remove(id) {
      held.delete(id)
      await kept.remove(id)
    },
  }
}
