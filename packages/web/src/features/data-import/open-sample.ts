import type { SourceFile } from '../../analysis/import-plan.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import type { Workspace } from '../../analysis/workspace.ts'
import { keepDraft } from '../../state/question-draft.ts'
import type { Imports } from './imports.ts'

interface Sample {
  readonly files: readonly SourceFile[]
  readonly questions: readonly string[]
}

/** Its tables, a new analysis of them, and the first question ready to be asked. Gives the analysis. */
export async function openSample(workspace: Workspace, imports: Imports, sample: Sample): Promise<string> {
  for (const file of sample.files) {
    if (isThere(workspace.tables.getSnapshot().tables ?? [], file)) continue
    const tables = await imports.addAsFound(file)
    // To be seen at once: some things are nobody's business.
    for (const table of tables) {
      const personal = table.columns.filter(({ name }) => /e-?mail|phone|recipient/i.test(name))
      if (personal.length > 0)
        await workspace.setNeverSent(
          table.name,
          personal.map(({ name }) => name),
        )
    }
  }
  const id = await workspace.createAnalysis()
  keepDraft(id, sample.questions[0] ?? '')
  return id
}

const isThere = (tables: readonly KeptTable[], file: SourceFile): boolean =>
  tables.some(({ source }) => source.file === file.name && source.sizeBytes === file.size)
