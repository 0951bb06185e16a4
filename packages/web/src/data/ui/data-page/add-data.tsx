import { ClipboardPaste, FilePlus2 } from 'lucide-react'
import { Button } from '../../../components/controls/button.tsx'
import { formatsSentence, limitsSentence } from '../import/state/import-labels.ts'

/** The empty state: explains dropping files, and offers two ways without a pointer. */
export function AddData({ onPick, onPaste }: { readonly onPick: () => void; readonly onPaste: () => void }) {
  return (
    <section className="empty" aria-labelledby="add-data">
      <h2 id="add-data">Drop files anywhere on this page</h2>
      <p>
        {formatsSentence}. You can add several at once. {limitsSentence}
      </p>
      <div className="actions">
        <Button variant={['primary']} onClick={onPick}>
          <FilePlus2 className="icon s" aria-hidden="true" />
          Add files
        </Button>
        <Button onClick={onPaste}>
          <ClipboardPaste className="icon s" aria-hidden="true" />
          Paste a table
        </Button>
      </div>
    </section>
  )
}
