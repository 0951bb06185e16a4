import type { Column } from '../../analysis/cells.ts'
import { fingerprintOf } from '../../analysis/kept/fingerprint.ts'
import { LockNotKept } from '../../analysis/lock-not-kept.ts'
import type { Sample } from '../../analysis/samples/samples.ts'
import type { Workspace } from '../../analysis/workspace.ts'
import { keepDraft } from '../../state/analysis-drafts.ts'
import type { Imports } from './imports.ts'

/** Its tables, a new analysis of them, and the first question ready to be asked. Gives the analysis. */
export async function openSample(workspace: Workspace, imports: Imports, sample: Sample): Promise<string> {
  for (const file of sample.files) {
    const fingerprint = await fingerprintOf(await file.bytes())
    const { tables: before } = workspace.tables.getSnapshot()
    if (before?.some(({ source }) => source.fingerprint === fingerprint)) continue
    const tables = await imports.addAsFound(file)
    // To be seen at once: some things are nobody's business.
    for (const table of tables) {
      const personal = table.columns.filter(({ name }) => /e-?mail|phone|recipient/i.test(name))
      if (personal.length > 0) await lock(workspace, table.name, personal)
    }
  }
  const id = await workspace.createAnalysis()
  keepDraft(id, sample.questions[0] ?? '')
  return id
}

async function lock(workspace: Workspace, table: string, columns: readonly Column[]): Promise<void> {
  const names = columns.map(({ name }) => name)
  await workspace.setNeverSent(table, names).catch((error: unknown) => {
    // It holds on this page, and that is enough to try the sample.
    if (!(error instanceof LockNotKept)) throw error
  })
}
