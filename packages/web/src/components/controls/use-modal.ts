import { type SyntheticEvent, useEffect, useRef } from 'react'

/**
 * Opens a `dialog` as a modal while it is mounted: focus stays inside, Escape closes it, and the page behind it is
 * inert.
 */
export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (dialog?.open === false) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return {
    ref,
    onCancel(event: SyntheticEvent) {
      event.preventDefault()
      onClose()
    },
  }
}
