import { Loading } from '../components/status/loading.tsx'
import { AppShell } from './shell/app-shell.tsx'

/** The code of a page is fetched. */
export function PendingPage() {
  return (
    <AppShell rail="full" crumbs={null}>
      <main className="narrow-page" id="content">
        <Loading what="Opening the page" />
      </main>
    </AppShell>
  )
}
