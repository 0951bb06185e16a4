import { useEffect, useState } from 'react'
import type { ReadResult } from '../analysis/engine.ts'
import type { Workspace } from '../analysis/workspace.ts'
import { SqlConsole } from '../features/data-sql/sql-console.tsx'
import { useStore } from '../hooks/use-store.ts'
import { keepDraft, readDraft } from '../state/analysis-drafts.ts'
import { exportCsv } from './export-csv.ts'

interface ConsoleTabProps {
  readonly workspace: Workspace
  readonly analysisId: string
}

export function ConsoleTab({ workspace, analysisId }: ConsoleTabProps) {
  const { tables, listed, missing } = useStore(workspace.tables)
  const [draft, setDraft] = useState(() => readDraft(analysisId, 'sql'))
  useEffect(() => keepDraft(analysisId, draft, 'sql'), [analysisId, draft])
  return (
    <SqlConsole
      query={workspace.query}
      draft={draft}
      onDraft={setDraft}
      tables={(tables ?? []).map(({ name }) => name)}
      taken={[...(listed ?? []), ...missing].map(({ name }) => name)}
      onUseAsTable={(result, name) => addAsTable(workspace, result, name)}
      onExport={(result) => exportCsv(result, 'query')}
    />
  )
}

async function addAsTable(workspace: Workspace, { ipc }: ReadResult, name: string): Promise<void> {
  if (ipc === null) throw new Error('Only a result that is here as a whole can become a table.')
  await workspace.addRows(name, ipc)
}
