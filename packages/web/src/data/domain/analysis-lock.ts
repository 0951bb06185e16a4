// One tab runs the tools of an analysis and holds a lock of the browser, which is released when the tab closes.

const prefix = 'quarterdeck-analysis-'

/** The lock of the tab that runs the analysis. */
export const analysisLock = (id: string): string => `${prefix}${id}`

/** The analyses that a tab of this browser runs; `null` if the browser has no Web Locks. */
export async function ledAnalyses(locks: Pick<LockManager, 'query'> | undefined): Promise<ReadonlySet<string> | null> {
  if (locks === undefined) return null
  const { held = [] } = await locks.query()
  return new Set(held.flatMap(({ name = '' }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])))
}
