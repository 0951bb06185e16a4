import { useEffect, useState } from 'react'
import type { ReadResult } from '../analysis/engine.ts'
import type { Workspace } from '../analysis/workspace.ts'
import { SqlConsole } from '../features/data-sql/sql-console.tsx'
import { useStore } from '../hooks/use-store.ts'
import { exportCsv } from './export-csv.ts'

interface ConsoleTabProps {
  readonly workspace: Workspace
  readonly analysisId: string
}

export function ConsoleTab({ workspace, analysisId }: ConsoleTabProps) {
  const { tables } = useStore(workspace.tables)
  const key = `quarterdeck.sql.${analysisId}`
  const [draft, setDraft] = useState(() => localStorage.getItem(key) ?? '')
  useEffect(() => localStorage.setItem(key, draft), [key, draft])
  return (
    <SqlConsole
      query={workspace.query}
      draft={draft}
      onDraft={setDraft}
      tables={(tables ?? []).map(({ name }) => name)}
      onUseAsTable={(result, name) => addAsTable(workspace, result, name)}
      onExport={(result) => exportCsv('query', result)}
    />
  )
}

/** The rows as the file they already are: their types stay exact. */
async function addAsTable(workspace: Workspace, { ipc }: ReadResult, name: string): Promise<void> {
  if (ipc === null) throw new Error('Only a result that is here as a whole can become a table.')
  const file = { name: `${name}.arrow`, size: ipc.byteLength, bytes: async () => ipc }
  const plan = await workspace.planImport(file)
  const tables = plan.tables.map((table) => ({ ...table, name }))
  await workspace.addTables(file, { ...plan, tables }, { isKept: true })
}
