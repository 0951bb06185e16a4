import './import.css'
import './review/review.css'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices } from '../../domain/data-services.ts'
import { sourceOfFile } from '../../import/source/source-file.ts'
import { OtherFileDialog } from './other-file-dialog.tsx'
import { PasteDialog } from './paste-dialog.tsx'
import { RejectedDialog } from './rejected-dialog.tsx'
import { ReviewQueue } from './review/review-queue.tsx'
import { formatsSentence, limitsSentence } from './state/import-labels.ts'
import type { Imports } from './state/imports.ts'
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
      <DropTarget imports={imports} />
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

/** The whole window accepts files, and shows a target while files are dragged over it. */
function DropTarget({ imports }: { readonly imports: Imports }) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    // Enter and leave fire for every element: the window is left when both counts are equal.
    let depth = 0
    const hold = (event: DragEvent, step: number) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth = Math.max(0, depth + step)
      setOver(depth > 0)
    }
    const listening = new AbortController()
    const { signal } = listening
    addEventListener('dragenter', (event) => hold(event, 1), { signal })
    addEventListener('dragover', (event) => hold(event, 0), { signal })
    addEventListener('dragleave', (event) => hold(event, -1), { signal })
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      hold(event, -depth)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length > 0) imports.add(files.map(sourceOfFile))
    }
    addEventListener('drop', drop, { signal })
    return () => listening.abort()
  }, [imports])
  if (!isOver) return null
  return (
    <div className="drop-over" role="status">
      <div>
        <b>Drop to add</b>
        <p className="text-2">{formatsSentence}. Nothing is uploaded.</p>
        <p className="text-2">{limitsSentence}</p>
      </div>
    </div>
  )
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true
