import '../../styles/data-import.css'
import '../../styles/data-review.css'
import { createPortal } from 'react-dom'
import { sourceOfFile } from '../../analysis/import/source-file.ts'
import type { Workspace } from '../../analysis/workspace.ts'
import { useStore } from '../../hooks/use-store.ts'
import { DropTarget } from './drop-target.tsx'
import { OtherFileDialog } from './other-file-dialog.tsx'
import { PasteDialog } from './paste-dialog.tsx'
import { RejectedDialog } from './rejected-dialog.tsx'
import { ReviewQueue } from './review-queue.tsx'
import type { DataFiles } from './use-data-files.ts'

interface DataOverlaysProps {
  readonly workspace: Workspace
  readonly files: DataFiles
}

/** Everything of files that lies over the page; it goes to the end of the document, wherever it is put. */
export function DataOverlays({ workspace, files }: DataOverlaysProps) {
  const { isLasting, listed: tables, missing } = useStore(workspace.tables)
  const { imports } = files
  return createPortal(
    <>
      <DropTarget onFiles={(dropped) => imports.add(dropped.map(sourceOfFile))} />
      <ReviewQueue
        imports={imports}
        names={[...(tables ?? []), ...missing].map(({ name }) => name)}
        canKeep={isLasting !== false}
      />
      <Over workspace={workspace} files={files} />
    </>,
    document.body,
  )
}

function Over({ workspace, files }: DataOverlaysProps) {
  const { listed: tables } = useStore(workspace.tables)
  const { over, imports, close } = files
  switch (over?.kind) {
    case undefined:
      return null
    case 'paste':
      return (
        <PasteDialog
          onClose={close}
          onFile={(file) => {
            close()
            imports.add([file])
          }}
        />
      )
    case 'rejected': {
      const table = tables?.find(({ name }) => name === over.table)
      if (table === undefined) return null
      return <RejectedDialog table={table} onAgain={() => files.readAgain(table.name)} onClose={close} />
    }
    case 'other-file':
      return (
        <OtherFileDialog
          table={over.table}
          file={over.file}
          onUse={() => files.attach(over.file, over.table)}
          onChoose={() => files.reattach(over.table)}
          onClose={close}
        />
      )
  }
}
