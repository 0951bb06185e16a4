import { type RefObject, type SyntheticEvent, useEffect, useRef } from 'react'

interface Modal {
  readonly ref: RefObject<HTMLDialogElement | null>
  readonly onCancel: (event: SyntheticEvent) => void
}

/** For a `dialog` in front of the page for as long as it is drawn: focus stays inside, Escape leaves, the page waits. */
export function useModal(onClose: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (dialog?.open === false) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return {
    ref,
    onCancel(event) {
      event.preventDefault()
      onClose()
    },
  }
}
