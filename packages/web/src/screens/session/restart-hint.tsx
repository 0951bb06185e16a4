import type { Transcript } from '@quarterdeck/protocol'
import { X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/controls/button.tsx'

/** Invites the user to test that an open approval survives a restart of the server. */
export function RestartHint({ onDismiss }: { readonly onDismiss: () => void }) {
  return (
    <aside className="hint" aria-label="Try this">
      <div className="row">
        <b className="grow">Try this: kill the server.</b>
        <Button variant={['s', 'quiet', 'square']} aria-label="Dismiss" onClick={onDismiss}>
          <X className="icon s" aria-hidden="true" />
        </Button>
      </div>
      <p>
        Stop it with Ctrl-C or <code>kill -9</code>, then start it again with the same command. This page reconnects by
        itself: this approval is still here, and Allow still works.
      </p>
    </aside>
  )
}

/** Whether the server has restarted during this session. The user then knows that sessions survive it. */
export const wasRestarted = ({ items }: Transcript): boolean =>
  items.some((item) => item.type === 'notice' && item.kind === 'recovery')

/** Whether the user has dismissed this hint in this browser. */
export function useDismissed(name: string): readonly [boolean, () => void] {
  const key = `quarterdeck.dismissed.${name}`
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(key) !== null)
  function dismiss(): void {
    setDismissed(true)
    localStorage.setItem(key, 'yes')
  }
  return [isDismissed, dismiss]
}
