import type { KeptTable } from '../../analysis/kept-table.ts'
import { useAction } from '../../hooks/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

interface RemoveDialogProps {
  readonly table: KeptTable
  readonly onRemove: () => Promise<void>
  readonly onClose: () => void
}

export function RemoveDialog({ table, onRemove, onClose }: RemoveDialogProps) {
  const remove = useAction()
  return (
    <Dialog
      title={`Remove ${table.name}?`}
      onClose={onClose}
      foot={
        <>
          <Button
            look={['danger']}
            disabled={remove.isBusy}
            onClick={() => void remove.run(onRemove).then((isDone) => isDone && onClose())}
          >
            Remove from this browser
          </Button>
          <Button look={['quiet']} onClick={onClose}>
            Keep it
          </Button>
          {remove.failure !== null && (
            <p className="problem" role="alert">
              {remove.failure.message}
            </p>
          )}
        </>
      }
    >
      <p>
        Its {table.rowCount.toLocaleString('en-US')} rows leave this browser. Your own file {table.source.file} is not
        touched, and answers that were found in it stay.
      </p>
    </Dialog>
  )
}
