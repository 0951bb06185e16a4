import './analysis.css'
import { Link, useParams } from '@tanstack/react-router'
import { AppShell } from '../../../app/shell/app-shell.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { useStore } from '../../../hooks/use-store.ts'
import { NoStorageNotice } from '../controls/no-storage-notice.tsx'
import { useDataServices } from '../use-data-services.ts'
import { LiveAnalysis } from './live-analysis.tsx'
import { useOpenAnalysis } from './use-open-analysis.ts'

export function AnalysisPage() {
  const { analysisId } = useParams({ from: '/data/$analysisId' })
  return <Opened key={analysisId} analysisId={analysisId} />
}

function Opened({ analysisId }: { readonly analysisId: string }) {
  const services = useDataServices()
  const { isLasting } = useStore(services.tables)
  const opened = useOpenAnalysis(services, analysisId)
  if (opened.status === 'there') return <LiveAnalysis services={services} open={opened.open} />
  return (
    <AppShell rail="icons" crumbs={<b>Data</b>}>
      <main className="narrow-page" id="content">
        <div>
          <h1 className="unseen">Analysis</h1>
          {opened.status === 'opening' && <Loading what="Opening the analysis" />}
          {opened.status === 'missing' && (
            <>
              {isLasting === false && <NoStorageNotice />}
              <ErrorCard
                what="This browser has no such analysis"
                detail="Analyses are stored only in the browser in which they were created."
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
    </AppShell>
  )
}

function AllData() {
  return (
    <Link className="btn s" to="/data">
      All analyses
    </Link>
  )
}
