import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../../../components/controls/dialog.tsx'
import type { ImportSource } from '../../domain/import-plan.ts'
import { sourceOfText } from '../../import/source/source-file.ts'
import { defaultPasteName } from './state/pasted-table.ts'

interface PasteDialogProps {
  readonly onFile: (file: ImportSource) => void
  readonly onClose: () => void
}

export function PasteDialog({ onFile, onClose }: PasteDialogProps) {
  const [text, setText] = useState('')
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (text.trim() !== '') onFile(sourceOfText(defaultPasteName(text), text))
  }

  return (
    <Dialog
      title="Paste a table"
      onClose={onClose}
      foot={
        <button className="btn primary" type="submit" form={id} disabled={text.trim() === ''}>
          Continue
        </button>
      }
    >
      <form id={id} className="stack" onSubmit={submit}>
        <label htmlFor={`${id}-text`}>Spreadsheet cells, CSV or JSON. The first line may be a header.</label>
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
