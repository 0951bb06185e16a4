import './data-page.css'
import '../tables/tables.css'
import { useNavigate } from '@tanstack/react-router'
import { FilePlus2 } from 'lucide-react'
import { useEffect } from 'react'
import { AppShell } from '../../../app/shell/app-shell.tsx'
import { Button } from '../../../components/controls/button.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { type Action, useAction } from '../../../hooks/use-action.ts'
import { usePageTitle } from '../../../hooks/use-page-title.ts'
import { useStore } from '../../../hooks/use-store.ts'
import { saveDraft } from '../../storage/analysis-drafts.ts'
import { NoStorageNotice } from '../controls/no-storage-notice.tsx'
import { QuietButton } from '../controls/quiet-button.tsx'
import { DataOverlays } from '../import/data-overlays.tsx'
import { ImportLines } from '../import/import-lines.tsx'
import { type DataFiles, useDataFiles } from '../import/use-data-files.ts'
import { EngineLine } from '../tables/engine-line.tsx'
import { MissingTables } from '../tables/missing-tables.tsx'
import { StorageLine } from '../tables/storage-line.tsx'
import { TableDialogs } from '../tables/table-dialogs.tsx'
import { useTableActions } from '../tables/use-table-actions.ts'
import { useDataServices } from '../use-data-services.ts'
import { AddData } from './add-data.tsx'
import { AnalysesList } from './analyses-list.tsx'
import { DataSamples } from './data-samples.tsx'
import { FirstQuestion } from './first-question.tsx'
import { TablesList } from './tables-list.tsx'
import { WhatLeaves } from './what-leaves.tsx'

export function DataPage() {
  usePageTitle('Data')
  const services = useDataServices()
  const files = useDataFiles(services)
  const navigate = useNavigate()
  const begin = useAction()
  const engine = useStore(services.engine)
  // Stored data is shown at once; only work on rows waits for the database.
  const { isLasting, listed: tables } = useStore(services.tables)
  const { analyses } = useStore(services.analyses)
  const isLoading = tables === null || analyses === null
  useEffect(() => {
    // The page shows its failure.
    services.start().catch(() => undefined)
  }, [services])

  const show = (analysisId: string) => navigate({ to: '/data/$analysisId', params: { analysisId } })
  const start = (question: string) =>
    void begin.run(async () => {
      const id = await services.createAnalysis()
      saveDraft(id, question)
      await show(id)
    })

  return (
    <AppShell rail="full" crumbs={<b>Data</b>}>
      <main className="page scroll data-page" id="content" tabIndex={-1}>
        <div className="page-head">
          <div className="grow">
            <h1>Data</h1>
            <p>
              Ask questions about your own files. A model writes the queries, this browser runs them and shows every
              step.
            </p>
          </div>
          {!isLoading && tables.length > 0 && (
            <div className="actions">
              <Button onClick={files.pick}>
                <FilePlus2 className="icon s" aria-hidden="true" />
                Add files
              </Button>
              <Button variant={['primary']} disabled={begin.isBusy} onClick={() => start('')}>
                New analysis
              </Button>
            </div>
          )}
        </div>
        {begin.failure !== null && (
          <ErrorCard what="The analysis could not be created" detail={begin.failure.message} />
        )}
        <EngineLine engine={engine} isLasting={isLasting} onStart={services.start} />
        {isLoading ? (
          <Loading what="Loading your tables and analyses" />
        ) : (
          <Shown files={files} hasTables={tables.length > 0} onAsk={start} begin={begin} />
        )}
        <DataOverlays services={services} files={files} />
      </main>
    </AppShell>
  )
}

interface ShownProps {
  readonly files: DataFiles
  readonly hasTables: boolean
  readonly onAsk: (question: string) => void
  readonly begin: Action
}

function Shown({ files, hasTables, onAsk, begin }: ShownProps) {
  const services = useDataServices()
  const { isLasting, listed: tables, missing, storage } = useStore(services.tables)
  const { analyses } = useStore(services.analyses)
  const worksOffline = useStore(services.worksOffline)
  const used = useTableActions({ onRejected: files.showRejected, onReadAgain: files.readAgain })
  const { actions } = used
  return (
    <>
      <FirstQuestion hasTables={hasTables} onAsk={onAsk} />
      <ImportLines imports={files.imports} onRejected={files.showRejected} />
      {!hasTables && isLasting === false && <NoStorageNotice />}
      {!hasTables && <AddData onPick={files.pick} onPaste={files.paste} />}
      {analyses !== null && analyses.length > 0 && (
        <section aria-labelledby="analyses">
          <h2 id="analyses" className="group">
            Analyses
          </h2>
          <AnalysesList analyses={analyses} onRemove={services.removeAnalysis} />
        </section>
      )}
      {(hasTables || missing.length > 0) && (
        <section aria-labelledby="tables">
          <div className="group">
            <h2 id="tables" className="grow">
              Tables
            </h2>
            <QuietButton onClick={files.paste}>Paste a table</QuietButton>
          </div>
          <TablesList tables={tables ?? []} actions={actions} />
          <MissingTables tables={missing} onReattach={files.reattach} onRemove={({ name }) => actions.onRemove(name)} />
          <StorageLine {...{ isLasting, storage, hasTables }} onPersist={services.persist} />
        </section>
      )}
      <DataSamples imports={files.imports} isShown={!hasTables} begin={begin} />
      {!hasTables && <WhatLeaves />}
      <p className="muted" role="status">
        {worksOffline && 'Files, profiles, SQL, charts and exports now work offline. Questions need the server.'}
      </p>
      <TableDialogs services={services} used={used} />
    </>
  )
}
