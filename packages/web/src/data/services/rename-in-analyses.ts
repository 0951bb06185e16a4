// Renames a table in the analyses that use it, even in those that are not open.
import type { Analysis } from '../domain/analysis.ts'
import { analysisLock } from '../domain/analysis-lock.ts'
import type { AnalysisChange } from '../runs/state/analysis-fact.ts'

interface RenameDeps {
  readonly load: (id: string) => Promise<Analysis | null>
  readonly save: (analysis: Analysis) => Promise<void>
  /** Performed by the tab that leads it. */
  readonly notifyTab: (id: string, change: AnalysisChange) => Promise<void>
  readonly locks: Pick<LockManager, 'request'> | undefined
  /** Without Web Locks: whether this tab leads it. */
  readonly isOpen: (id: string) => boolean
}

export interface Renaming {
  readonly from: string
  /** `null`: removes the table from the scope. */
  readonly to: string | null
}

/** One after the other; a failed one does not stop the next. */
export async function renameInAnalyses(deps: RenameDeps, ids: readonly string[], renaming: Renaming): Promise<void> {
  for (const id of ids) await renameInOne(deps, id, renaming).catch(() => undefined) // the analysis then lacks this table
}

async function renameInOne(deps: RenameDeps, id: string, renaming: Renaming): Promise<void> {
  const { load, save, notifyTab, locks, isOpen } = deps
  const change = async (isLed: boolean): Promise<void> => {
    const found = await load(id)
    const changed = found === null ? null : renamed(found, renaming)
    if (found === null || changed === null) return
    await (isLed ? notifyTab(id, changed) : save({ ...found, ...changed }))
  }
  // The tab that leads it would overwrite a change in storage.
  if (locks === undefined) return change(isOpen(id))
  await locks.request(analysisLock(id), { ifAvailable: true }, (lock) => change(lock === null))
}

function renamed({ scope, tables }: Analysis, { from, to }: Renaming): AnalysisChange | null {
  if (!scope.includes(from) && !tables.some(({ name }) => name === from)) return null
  return {
    scope: [...new Set(scope.flatMap((name) => (name !== from ? [name] : to === null ? [] : [to])))],
    tables: to === null ? tables : tables.map((table) => (table.name === from ? { ...table, name: to } : table)),
  }
}
