import '../styles/data.css'
import { Link, useParams } from '@tanstack/react-router'
import { NothingKept } from '../features/data-tables/nothing-kept.tsx'
import { AppFrame } from '../features/frame/app-frame.tsx'
import { useOpenAnalysis } from '../hooks/use-open-analysis.ts'
import { useStore } from '../hooks/use-store.ts'
import { useWorkspace } from '../hooks/use-workspace.ts'
import { ErrorCard } from '../ui/error-card.tsx'
import { Loading } from '../ui/loading.tsx'
import { LiveAnalysis } from './live-analysis.tsx'

export function AnalysisPage() {
  const { analysisId } = useParams({ from: '/data/$analysisId' })
  return <Opened key={analysisId} analysisId={analysisId} />
}

function Opened({ analysisId }: { readonly analysisId: string }) {
  const workspace = useWorkspace()
  const { isLasting } = useStore(workspace.tables)
  const opened = useOpenAnalysis(workspace, analysisId)
  if (opened.status === 'there') return <LiveAnalysis workspace={workspace} open={opened.open} />
  return (
    <AppFrame rail="icons" crumbs={<b>Data</b>}>
      <main className="narrow-page" id="content">
        <div>
          <h1 className="unseen">Analysis</h1>
          {opened.status === 'opening' && <Loading what="Opening the analysis" />}
          {opened.status === 'missing' && (
            <>
              {isLasting === false && <NothingKept />}
              <ErrorCard
                what="There is no such analysis in this browser"
                detail="Analyses are kept where they were made: in one browser, on one computer."
              >
                <AllData />
              </ErrorCard>
            </>
          )}
          {opened.status === 'failed' && (
            <ErrorCard what="The analysis could not be opened" detail={opened.failure.message}>
              <AllData />
            </ErrorCard>
          )}
        </div>
      </main>
    </AppFrame>
  )
}

function AllData() {
  return (
    <Link className="btn s" to="/data">
      All analyses
    </Link>
  )
}
