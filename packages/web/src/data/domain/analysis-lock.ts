// One tab runs the tools of an analysis, and the browser's own locks know which: a tab that dies holds none.

const prefix = 'quarterdeck-analysis-'

/** Held by the tab that runs the analysis. */
export const analysisLock = (id: string): string => `${prefix}${id}`

/** The analyses that a tab of this browser runs; `null` where the browser has no locks to ask. */
export async function ledAnalyses(locks: Pick<LockManager, 'query'> | undefined): Promise<ReadonlySet<string> | null> {
  if (locks === undefined) return null
  const { held = [] } = await locks.query()
  return new Set(held.flatMap(({ name = '' }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])))
}
