import type { SourceFile } from '../../analysis/import-plan.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatBytes } from '../../ui/format-bytes.ts'

interface OtherFileDialogProps {
  readonly table: KeptTable
  readonly file: SourceFile
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
          <Button look={['ink']} onClick={onChoose}>
            Choose another file
          </Button>
          <Button onClick={onUse}>Use it all the same</Button>
          <Button look={['quiet']} onClick={onClose}>
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
