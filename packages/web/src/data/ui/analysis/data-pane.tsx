import '../tables/tables.css'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices, OpenAnalysis } from '../../domain/data-services.ts'
import { DataOverlays } from '../import/data-overlays.tsx'
import { ImportLines } from '../import/import-lines.tsx'
import type { DataFiles } from '../import/use-data-files.ts'
import { TableDialogs } from '../tables/table-dialogs.tsx'
import { TablesPane } from '../tables/tables-pane.tsx'
import { useTableActions } from '../tables/use-table-actions.ts'

interface DataPaneProps {
  readonly services: DataServices
  readonly open: OpenAnalysis
  readonly files: DataFiles
  /** Called with a suggested question, which goes into the composer. */
  readonly onAsk: (question: string) => void
  readonly onProfile: (table: string) => void
}

/** The left pane of an analysis, an `aside`. Dialogs and the drop target cover the whole page. */
export function DataPane({ services, open, files, onAsk, onProfile }: DataPaneProps) {
  const { tables } = useStore(open.state)
  const used = useTableActions({ onProfile, onRejected: files.showRejected, onReadAgain: files.readAgain })
  return (
    <>
      <TablesPane
        services={services}
        answered={tables}
        actions={used.actions}
        onAdd={files.pick}
        onReattach={files.reattach}
        onAsk={onAsk}
      >
        <ImportLines imports={files.imports} onRejected={files.showRejected} />
      </TablesPane>
      <TableDialogs services={services} used={used} />
      <DataOverlays services={services} files={files} />
    </>
  )
}
