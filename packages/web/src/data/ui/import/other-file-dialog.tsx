import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import type { ImportSource } from '../../domain/import-plan.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { formatBytes } from '../controls/format-bytes.ts'

interface OtherFileDialogProps {
  readonly table: ImportedTable
  readonly file: ImportSource
  readonly onUse: () => void
  readonly onChoose: () => void
  readonly onClose: () => void
}

/** A file chosen for a table that came from another: the answers were about the other one. */
export function OtherFileDialog({ table, file, onUse, onChoose, onClose }: OtherFileDialogProps) {
  const { source } = table
  return (
    <Dialog
      title="This is not the same file"
      onClose={onClose}
      foot={
        <>
          <Button variant={['ink']} onClick={onChoose}>
            Choose another file
          </Button>
          <Button onClick={onUse}>Use it all the same</Button>
          <Button variant={['quiet']} onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <dl className="facts-grid">
        <dt>Before</dt>
        <dd>
          {source.file}, {formatBytes(source.sizeBytes)}
        </dd>
        <dt>Chosen</dt>
        <dd>
          {file.name}, {formatBytes(file.size)}
          {file.size === source.sizeBytes && ', with other contents'}
        </dd>
      </dl>
      <p>Answers that are there already were found in the file before. With another file they may no longer be true.</p>
    </Dialog>
  )
}
