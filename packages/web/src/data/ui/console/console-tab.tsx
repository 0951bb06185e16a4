import { useEffect, useState } from 'react'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices } from '../../domain/data-services.ts'
import type { ReadResult } from '../../domain/query-engine.ts'
import { readDraft, saveDraft } from '../../storage/analysis-drafts.ts'
import { exportCsv } from '../controls/export-csv.ts'
import { SqlConsole } from './sql-console.tsx'

export function ConsoleTab({ services, analysisId }: { readonly services: DataServices; readonly analysisId: string }) {
  const { tables, listed, missing } = useStore(services.tables)
  const [draft, setDraft] = useState(() => readDraft(analysisId, 'sql'))
  useEffect(() => saveDraft(analysisId, draft, 'sql'), [analysisId, draft])
  return (
    <SqlConsole
      query={services.query}
      draft={draft}
      onDraft={setDraft}
      tables={(tables ?? []).map(({ name }) => name)}
      taken={[...(listed ?? []), ...missing].map(({ name }) => name)}
      onUseAsTable={(result, name) => addAsTable(services, result, name)}
      onExport={(result) => exportCsv(result, 'query')}
    />
  )
}

async function addAsTable(services: DataServices, { ipc }: ReadResult, name: string): Promise<void> {
  if (ipc === null) throw new Error('Only a complete result can become a table. Narrow the query first.')
  await services.addRows(name, ipc)
}
