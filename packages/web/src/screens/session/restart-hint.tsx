import { X } from 'lucide-react'
import { Button } from '../../components/controls/button.tsx'

/** The promise this product makes, made easy to try. */
export function RestartHint({ onDismiss }: { readonly onDismiss: () => void }) {
  return (
    <aside className="hint" aria-label="Try this">
      <div className="row">
        <b className="grow">Now pull the plug.</b>
        <Button variant={['s', 'quiet', 'square']} aria-label="Dismiss" onClick={onDismiss}>
          <X className="icon s" aria-hidden="true" />
        </Button>
      </div>
      <p>
        Kill the server (Ctrl-C, or <code>kill -9</code>) and start it again with the same command. This page finds it
        by itself: this approval is still here, and Allow still works.
      </p>
    </aside>
  )
}
