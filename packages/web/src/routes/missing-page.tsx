import { Link } from '@tanstack/react-router'
import { AppFrame } from '../features/frame/app-frame.tsx'
import { usePageTitle } from '../hooks/use-page-title.ts'

export function MissingPage() {
  usePageTitle('Not found')
  return (
    <AppFrame rail="full" crumbs={<b>Not found</b>}>
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
    </AppFrame>
  )
}
