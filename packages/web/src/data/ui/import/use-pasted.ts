import { useEffect, useRef } from 'react'
import type { ImportSource } from '../../domain/import-plan.ts'
import { sourceOfFile, sourceOfText } from '../../import/source/source-file.ts'
import { pastedName } from './state/pasted-table.ts'

/** Handles paste outside of fields: files, or text that is a table. Ignores prose. */
export function usePasted(onFiles: (files: readonly ImportSource[]) => void): void {
  const take = useRef(onFiles)
  take.current = onFiles
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const { target, clipboardData } = event
      if (clipboardData === null || event.defaultPrevented || isField(target)) return
      const files = filesIn(clipboardData)
      if (files.length === 0) return
      event.preventDefault()
      take.current(files)
    }
    addEventListener('paste', onPaste)
    return () => removeEventListener('paste', onPaste)
  }, [])
}

function filesIn(data: DataTransfer): readonly ImportSource[] {
  // Spreadsheets add a picture of the cells to the clipboard: the text is the table.
  const text = data.getData('text/plain')
  const name = pastedName(text)
  if (name !== null) return [sourceOfText(name, text)]
  return [...data.files].filter(({ type }) => !type.startsWith('image/')).map(sourceOfFile)
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable="true"]') !== null
