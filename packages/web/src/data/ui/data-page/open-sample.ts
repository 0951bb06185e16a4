import type { DataServices } from '../../domain/data-services.ts'
import type { Sample } from '../../samples/samples.ts'
import { saveDraft } from '../../storage/analysis-drafts.ts'
import { fingerprintOf } from '../../storage/fingerprint.ts'
import type { Imports } from '../import/state/imports.ts'

/** Its tables, a new analysis of them, and the first question ready to be asked. Gives the analysis. */
export async function openSample(services: DataServices, imports: Imports, sample: Sample): Promise<string> {
  for (const file of sample.files) {
    const fingerprint = await fingerprintOf(await file.bytes())
    const { tables: before } = services.tables.getSnapshot()
    if (before?.some(({ source }) => source.fingerprint === fingerprint)) continue
    await imports.addAsFound(file)
  }
  const id = await services.createAnalysis()
  saveDraft(id, sample.questions[0] ?? '')
  return id
}
