import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { sourceOfText } from '../../analysis/import/source-file.ts'
import type { SourceFile } from '../../analysis/import-plan.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { saidName } from './pasted-table.ts'

interface PasteDialogProps {
  readonly onFile: (file: SourceFile) => void
  readonly onClose: () => void
}

export function PasteDialog({ onFile, onClose }: PasteDialogProps) {
  const [text, setText] = useState('')
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (text.trim() !== '') onFile(sourceOfText(saidName(text), text))
  }

  return (
    <Dialog
      title="Paste a table"
      onClose={onClose}
      foot={
        <>
          <button className="btn ink" type="submit" form={id} disabled={text.trim() === ''}>
            Go on
          </button>
          <Button look={['quiet']} onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <form id={id} className="stack" onSubmit={submit}>
        <label htmlFor={`${id}-text`}>Cells of a spreadsheet, CSV or JSON. The first line may be the names.</label>
        <textarea
          ref={field}
          id={`${id}-text`}
          className="field mono"
          rows={10}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
