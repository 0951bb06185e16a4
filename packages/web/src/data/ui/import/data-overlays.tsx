import './import.css'
import './review/review.css'
import { createPortal } from 'react-dom'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices } from '../../domain/data-services.ts'
import { sourceOfFile } from '../../import/source/source-file.ts'
import { DropTarget } from './drop-target.tsx'
import { OtherFileDialog } from './other-file-dialog.tsx'
import { PasteDialog } from './paste-dialog.tsx'
import { RejectedDialog } from './rejected-dialog.tsx'
import { ReviewQueue } from './review/review-queue.tsx'
import type { DataFiles } from './use-data-files.ts'

interface DataOverlaysProps {
  readonly services: DataServices
  readonly files: DataFiles
}

/** All overlays for files, rendered at the end of the document. */
export function DataOverlays({ services, files }: DataOverlaysProps) {
  const { isLasting, listed: tables, missing } = useStore(services.tables)
  const { imports } = files
  return createPortal(
    <>
      <DropTarget onFiles={(dropped) => imports.add(dropped.map(sourceOfFile))} />
      <ReviewQueue
        imports={imports}
        names={[...(tables ?? []), ...missing].map(({ name }) => name)}
        canStore={isLasting !== false}
      />
      <Over services={services} files={files} />
    </>,
    document.body,
  )
}

function Over({ services, files }: DataOverlaysProps) {
  const { listed: tables } = useStore(services.tables)
  const { overlay, imports, close } = files
  switch (overlay?.kind) {
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
      const table = tables?.find(({ name }) => name === overlay.table)
      if (table === undefined) return null
      return <RejectedDialog table={table} onAgain={() => files.readAgain(table.name)} onClose={close} />
    }
    case 'other-file':
      return (
        <OtherFileDialog
          table={overlay.table}
          file={overlay.file}
          onUse={() => files.attach(overlay.file, overlay.table)}
          onChoose={() => files.reattach(overlay.table)}
          onClose={close}
        />
      )
  }
}
