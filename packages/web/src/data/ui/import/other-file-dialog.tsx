import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { formatBytes } from '../../../components/format/format-bytes.ts'
import type { ImportSource } from '../../domain/import-plan.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'

interface OtherFileDialogProps {
  readonly table: ImportedTable
  readonly file: ImportSource
  readonly onUse: () => void
  readonly onChoose: () => void
  readonly onClose: () => void
}

/** Shown when the file chosen for a table differs from its original file, because earlier answers used the original. */
export function OtherFileDialog({ table, file, onUse, onChoose, onClose }: OtherFileDialogProps) {
  const { source } = table
  return (
    <Dialog
      title="This is not the same file"
      onClose={onClose}
      foot={
        <>
          <Button variant={['primary']} onClick={onChoose}>
            Choose another file
          </Button>
          <Button onClick={onUse}>Use it anyway</Button>
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
      <p>Earlier answers are based on the previous file. With another file they may no longer be true.</p>
    </Dialog>
  )
}
