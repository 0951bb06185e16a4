import { useEffect, useRef, useState } from 'react'
import { formatsSentence, limitsSentence } from './state/import-labels.ts'

/** The whole window accepts files, and shows a target while files are dragged over it. */
export function DropTarget({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false)
  const take = useRef(onFiles)
  take.current = onFiles
  useEffect(() => {
    // Enter and leave fire for every element: the window is left when both counts are equal.
    let depth = 0
    const hold = (event: DragEvent, step: number) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      depth = Math.max(0, depth + step)
      setOver(depth > 0)
    }
    const enter = (event: DragEvent) => hold(event, 1)
    const over = (event: DragEvent) => hold(event, 0)
    const leave = (event: DragEvent) => hold(event, -1)
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      hold(event, -depth)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length > 0) take.current(files)
    }
    const listeners = { dragenter: enter, dragover: over, dragleave: leave, drop } as const
    for (const [name, listener] of Object.entries(listeners)) {
      addEventListener(name as keyof typeof listeners, listener) // keys of the object above
    }
    return () => {
      for (const [name, listener] of Object.entries(listeners)) {
        removeEventListener(name as keyof typeof listeners, listener) // keys of the object above
      }
    }
  }, [])
  if (!isOver) return null
  return (
    <div className="drop-over" role="status">
      <div>
        <b>Drop to add</b>
        <p>{formatsSentence}. Nothing is uploaded.</p>
        <p>{limitsSentence}</p>
      </div>
    </div>
  )
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true
