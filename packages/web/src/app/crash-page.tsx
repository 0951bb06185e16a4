import { Button } from '../components/controls/button.tsx'
import { ErrorCard } from '../components/status/error-card.tsx'

/** A bug in the workbench: the server and its sessions are not touched by it. */
export function CrashPage({ error }: { readonly error: unknown }) {
  return (
    <main className="narrow-page" id="content">
      <div>
        <ErrorCard
          what="The workbench broke"
          detail={error instanceof Error ? error.message : String(error)}
          kept="everything the server has. Only this page failed."
        >
          <Button onClick={() => location.reload()}>Load the page again</Button>
        </ErrorCard>
      </div>
    </main>
  )
}
