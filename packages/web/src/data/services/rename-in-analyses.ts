// A table with another name, in the analyses that are about it: also in those that nobody has open.
import type { Analysis } from '../domain/analysis.ts'
import { analysisLock } from '../domain/analysis-lock.ts'
import type { AnalysisChange } from '../runs/state/analysis-fact.ts'

export interface RenameDeps {
  readonly load: (id: string) => Promise<Analysis | null>
  readonly save: (analysis: Analysis) => Promise<void>
  /** By the tab that runs it. */
  readonly notifyTab: (id: string, change: AnalysisChange) => Promise<void>
  readonly locks: Pick<LockManager, 'request'> | undefined
  /** Where there are no locks: whether this tab runs it. */
  readonly isOpen: (id: string) => boolean
}

export interface Renaming {
  readonly from: string
  /** `null`: it is about no table of that name any more. */
  readonly to: string | null
}

/** One after the other; one that cannot be changed keeps nobody from the next. */
export async function renameInAnalyses(deps: RenameDeps, ids: readonly string[], renaming: Renaming): Promise<void> {
  for (const id of ids) await renameInOne(deps, id, renaming).catch(() => undefined) // its table is then not in it
}

async function renameInOne(deps: RenameDeps, id: string, renaming: Renaming): Promise<void> {
  const { load, save, notifyTab, locks, isOpen } = deps
  const change = async (isLed: boolean): Promise<void> => {
    const found = await load(id)
    const changed = found === null ? null : renamed(found, renaming)
    if (found === null || changed === null) return
    await (isLed ? notifyTab(id, changed) : save({ ...found, ...changed }))
  }
  // Whoever runs it would write over what is changed behind its back.
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
