import { countLabel } from '../../domain/count-label.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { ConfirmRemove } from '../controls/confirm-remove.tsx'

interface RemoveDialogProps {
  readonly table: ImportedTable
  readonly onRemove: () => Promise<void>
  readonly onClose: () => void
}

export function RemoveDialog({ table, onRemove, onClose }: RemoveDialogProps) {
  return (
    <ConfirmRemove title={`Remove ${table.name}?`} act="Remove from this browser" onRemove={onRemove} onClose={onClose}>
      {countLabel(table.rowCount, 'row')} of it {table.rowCount === 1 ? 'leaves' : 'leave'} this browser. Your own file{' '}
      {table.source.file} is not touched, and answers that were found in it stay.
    </ConfirmRemove>
  )
}
