import './analysis.css'
import type { QuarterdeckError } from '@quarterdeck/protocol'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { AppShell } from '../../../app/shell/app-shell.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { useStore } from '../../../hooks/use-store.ts'
import { failureOf } from '../../../stores/primitives/failure.ts'
import type { DataServices, OpenAnalysis } from '../../domain/data-services.ts'
import { NoStorageNotice } from '../controls/no-storage-notice.tsx'
import { useDataServices } from '../use-data-services.ts'
import { LiveAnalysis } from './live-analysis.tsx'

export function AnalysisPage() {
  const { analysisId } = useParams({ from: '/data/$analysisId' })
  return <Opened key={analysisId} analysisId={analysisId} />
}

function Opened({ analysisId }: { readonly analysisId: string }) {
  const services = useDataServices()
  const { isLasting } = useStore(services.tables)
  const opened = useOpenAnalysis(services, analysisId)
  if (opened.status === 'loaded') return <LiveAnalysis services={services} open={opened.open} />
  return (
    <AppShell rail="icons" crumbs={<b>Data</b>}>
      <main className="narrow-page" id="content">
        <div>
          <h1 className="visually-hidden">Analysis</h1>
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

type AnalysisOpening =
  | { readonly status: 'opening' }
  | { readonly status: 'loaded'; readonly open: OpenAnalysis }
  | { readonly status: 'missing' }
  | { readonly status: 'failed'; readonly failure: QuarterdeckError }

/** Opens an analysis while the page shows it. */
function useOpenAnalysis(services: DataServices, id: string): AnalysisOpening {
  const [opened, setOpened] = useState<AnalysisOpening>({ status: 'opening' })
  useEffect(() => {
    let isLeft = false
    let open: OpenAnalysis | null = null
    // Failures of the engine are in its store; questions and answers are readable without it.
    services.start().catch(() => undefined)
    services.open(id).then(
      (found) => {
        if (isLeft) return found?.close()
        open = found
        setOpened(found === null ? { status: 'missing' } : { status: 'loaded', open: found })
      },
      (error: unknown) => isLeft || setOpened({ status: 'failed', failure: failureOf(error) }),
    )
    return () => {
      isLeft = true
      open?.close()
      setOpened({ status: 'opening' })
    }
  }, [services, id])
  return opened
}
