import { fingerprintOf } from '../../analysis/kept/fingerprint.ts'
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
    await imports.addAsFound(file)
  }
  const id = await workspace.createAnalysis()
  keepDraft(id, sample.questions[0] ?? '')
  return id
}
