import '../styles/data-tables.css'
import { useEffect } from 'react'
import type { OpenAnalysis, Workspace } from '../analysis/workspace.ts'
import { DataOverlays } from '../features/data-import/data-overlays.tsx'
import { ImportLines } from '../features/data-import/import-lines.tsx'
import type { DataFiles } from '../features/data-import/use-data-files.ts'
import { TableDialogs } from '../features/data-tables/table-dialogs.tsx'
import { TablesPane } from '../features/data-tables/tables-pane.tsx'
import { useTableActs } from '../features/data-tables/use-table-acts.ts'
import { useStore } from '../hooks/use-store.ts'

interface DataPaneProps {
  readonly workspace: Workspace
  readonly open: OpenAnalysis
  readonly files: DataFiles
  /** A suggested question was chosen: it goes into the ask box. */
  readonly onAsk: (question: string) => void
  readonly onProfile: (table: string) => void
}

/** The left pane of an analysis: an `aside` that fills its place. Dialogs and the drop target lie over the whole page. */
export function DataPane({ workspace, open, files, onAsk, onProfile }: DataPaneProps) {
  const { tables } = useStore(open.state)
  const used = useTableActs({
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
        acts={used.acts}
        onAdd={files.pick}
        onReattach={files.reattach}
        onAsk={onAsk}
      >
        <ImportLines imports={files.imports} onRejected={files.showRejected} />
      </TablesPane>
      <TableDialogs workspace={workspace} used={used} />
      <DataOverlays workspace={workspace} files={files} />
    </>
  )
}
