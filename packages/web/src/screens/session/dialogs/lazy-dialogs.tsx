import { useCallback } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import type { SessionDialogsProps } from './session-dialogs.tsx'

/** Loads the dialogs when one is opened: most visits need none. */
export function LazyDialogs(props: SessionDialogsProps) {
  return props.open === null ? null : <Loaded {...props} />
}

function Loaded(props: SessionDialogsProps) {
  const { value, failure } = useLoaded(useCallback(() => import('./session-dialogs.tsx'), []))
  if (value !== null) return <value.SessionDialogs {...props} />
  if (failure === null) return null
  return (
    <div className="toast">
      <ErrorCard
        what="This part of the page could not be loaded"
        detail="Check that the server is running, then reload the page."
      >
        <Button variant={['s']} onClick={props.onClose}>
          Close
        </Button>
      </ErrorCard>
    </div>
  )
}
