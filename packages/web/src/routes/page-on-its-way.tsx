import { AppFrame } from '../features/frame/app-frame.tsx'
import { Loading } from '../ui/loading.tsx'

/** The code of a page is fetched. */
export function PageOnItsWay() {
  return (
    <AppFrame rail="full" crumbs={null}>
      <main className="narrow-page" id="content">
        <Loading what="Opening the page" />
      </main>
    </AppFrame>
  )
}
