import { Link } from '@tanstack/react-router'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { AppShell } from './shell/app-shell.tsx'

export function NotFoundPage() {
  usePageTitle('Not found')
  return (
    <AppShell rail="full" crumbs={<b>Not found</b>}>
      <main className="narrow-page" id="content">
        <div>
          <h1>There is no page at this address</h1>
          <p className="text-2">
            Go to the{' '}
            <Link className="link" to="/">
              inbox
            </Link>{' '}
            or to the{' '}
            <Link className="link" to="/sessions">
              sessions
            </Link>
            .
          </p>
        </div>
      </main>
    </AppShell>
  )
}
