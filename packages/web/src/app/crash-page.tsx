import { Button } from '../components/controls/button.tsx'
import { ErrorCard } from '../components/status/error-card.tsx'

/** Shown when a page component throws. The server and its sessions are not affected. */
export function CrashPage({ error }: { readonly error: unknown }) {
  return (
    <main className="narrow-page" id="content">
      <div>
        <ErrorCard
          what="The workbench crashed"
          detail={error instanceof Error ? error.message : String(error)}
          saved="all data on the server. Only this page failed."
        >
          <Button onClick={() => location.reload()}>Reload the page</Button>
        </ErrorCard>
      </div>
    </main>
  )
}
