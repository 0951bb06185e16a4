import '../styles/data-tables.css'
import { useEffect } from 'react'
import type { OpenAnalysis, Workspace } from '../analysis/workspace.ts'
import { ImportLines } from '../features/data-import/import-lines.tsx'
import { useDataFiles } from '../features/data-import/use-data-files.tsx'
import { TablesPane } from '../features/data-tables/tables-pane.tsx'
import { useTableActs } from '../features/data-tables/use-table-acts.tsx'
import { useStore } from '../hooks/use-store.ts'

interface DataPaneProps {
  readonly workspace: Workspace
  readonly open: OpenAnalysis
  /** A suggested question was chosen: it goes into the ask box. */
  readonly onAsk: (question: string) => void
  readonly onProfile: (table: string) => void
}

/** The left pane of an analysis: an `aside` that fills its place. Dialogs and the drop target lie over the whole page. */
export function DataPane({ workspace, open, onAsk, onProfile }: DataPaneProps) {
  const files = useDataFiles(workspace)
  const { tables } = useStore(open.state)
  const { acts, dialogs } = useTableActs(workspace, {
    onProfile,
    onRejected: files.showRejected,
    onReadAgain: files.readAgain,
  })
  useEffect(() => {
    // Its failure is on the pane.
    workspace.start().catch(() => undefined)
  }, [workspace])
  return (
    <>
      <TablesPane
        workspace={workspace}
        answered={tables}
        acts={acts}
        onAdd={files.pick}
        onReattach={files.reattach}
        onAsk={onAsk}
      >
        <ImportLines imports={files.imports} onRejected={files.showRejected} />
      </TablesPane>
      {dialogs}
      {files.overlays}
    </>
  )
}
