import '../styles/data-page.css'
import '../styles/data-tables.css'
import { useNavigate } from '@tanstack/react-router'
import { FilePlus2 } from 'lucide-react'
import { useEffect } from 'react'
import { AddData } from '../features/data-import/add-data.tsx'
import { DataOverlays } from '../features/data-import/data-overlays.tsx'
import { ImportLines } from '../features/data-import/import-lines.tsx'
import { type DataFiles, useDataFiles } from '../features/data-import/use-data-files.ts'
import { WhatLeaves } from '../features/data-import/what-leaves.tsx'
import { AnalysesList } from '../features/data-tables/analyses-list.tsx'
import { EngineLine } from '../features/data-tables/engine-line.tsx'
import { FirstQuestion } from '../features/data-tables/first-question.tsx'
import { MissingTables } from '../features/data-tables/missing-tables.tsx'
import { NothingKept } from '../features/data-tables/nothing-kept.tsx'
import { OfflineLine } from '../features/data-tables/offline-line.tsx'
import { StorageLine } from '../features/data-tables/storage-line.tsx'
import { TableDialogs } from '../features/data-tables/table-dialogs.tsx'
import { TablesList } from '../features/data-tables/tables-list.tsx'
import { useTableActs } from '../features/data-tables/use-table-acts.ts'
import { AppFrame } from '../features/frame/app-frame.tsx'
import { type Action, useAction } from '../hooks/use-action.ts'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { useStore } from '../hooks/use-store.ts'
import { useWorkspace } from '../hooks/use-workspace.ts'
import { keepDraft } from '../state/analysis-drafts.ts'
import { Button } from '../ui/button.tsx'
import { ErrorCard } from '../ui/error-card.tsx'
import { Loading } from '../ui/loading.tsx'
import { DataSamples } from './data-samples.tsx'

export function DataPage() {
  usePageTitle('Data')
  const workspace = useWorkspace()
  const files = useDataFiles(workspace)
  const navigate = useNavigate()
  const begin = useAction()
  const engine = useStore(workspace.engine)
  // What is kept is shown at once; only what works with the rows waits for the database.
  const { isLasting, listed: tables } = useStore(workspace.tables)
  const { analyses } = useStore(workspace.analyses)
  const isLoading = tables === null || analyses === null
  useEffect(() => {
    // Its failure is on the page.
    workspace.start().catch(() => undefined)
  }, [workspace])

  const show = (analysisId: string) => navigate({ to: '/data/$analysisId', params: { analysisId } })
  const start = (question: string) =>
    void begin.run(async () => {
      const id = await workspace.createAnalysis()
      keepDraft(id, question)
      await show(id)
    })

  return (
    <AppFrame rail="full" crumbs={<b>Data</b>}>
      <main className="page scroll data-page" id="content" tabIndex={-1}>
        <div className="page-head">
          <div className="grow">
            <h1>Data</h1>
            <p>Questions to your own files, answered in this browser, with every step shown.</p>
          </div>
          {!isLoading && tables.length > 0 && (
            <div className="actions">
              <Button onClick={files.pick}>
                <FilePlus2 className="icon s" aria-hidden="true" />
                Add files
              </Button>
              <Button look={['ink']} disabled={begin.isBusy} onClick={() => start('')}>
                New analysis
              </Button>
            </div>
          )}
        </div>
        {begin.failure !== null && <ErrorCard what="The analysis did not begin" detail={begin.failure.message} />}
        <EngineLine
          engine={engine}
          isLasting={isLasting}
          onStart={() => void workspace.start().catch(() => undefined)}
        />
        {isLoading ? (
          <Loading what="Looking what is in this browser" />
        ) : (
          <Shown files={files} hasTables={tables.length > 0} onAsk={start} begin={begin} />
        )}
        <DataOverlays workspace={workspace} files={files} />
      </main>
    </AppFrame>
  )
}

interface ShownProps {
  readonly files: DataFiles
  readonly hasTables: boolean
  readonly onAsk: (question: string) => void
  readonly begin: Action
}

function Shown({ files, hasTables, onAsk, begin }: ShownProps) {
  const workspace = useWorkspace()
  const { isLasting, listed: tables, missing, storage } = useStore(workspace.tables)
  const { analyses } = useStore(workspace.analyses)
  const worksOffline = useStore(workspace.worksOffline)
  const used = useTableActs({ onRejected: files.showRejected, onReadAgain: files.readAgain })
  const { acts } = used
  return (
    <>
      <FirstQuestion hasTables={hasTables} onAsk={onAsk} />
      <ImportLines imports={files.imports} onRejected={files.showRejected} />
      {!hasTables && isLasting === false && <NothingKept />}
      {!hasTables && <AddData onPick={files.pick} onPaste={files.paste} />}
      {analyses !== null && analyses.length > 0 && (
        <section aria-labelledby="analyses">
          <h2 id="analyses" className="group">
            Analyses
          </h2>
          <AnalysesList analyses={analyses} onRemove={workspace.removeAnalysis} />
        </section>
      )}
      {(hasTables || missing.length > 0) && (
        <section aria-labelledby="tables">
          <div className="group">
            <h2 id="tables" className="grow">
              Tables
            </h2>
            <Button look={['s', 'quiet']} onClick={files.paste}>
              Paste a table
            </Button>
          </div>
          <TablesList tables={tables ?? []} acts={acts} />
          <MissingTables tables={missing} onReattach={files.reattach} onRemove={({ name }) => acts.onRemove(name)} />
          <StorageLine {...{ isLasting, storage, hasTables }} onPersist={workspace.persist} />
        </section>
      )}
      <DataSamples imports={files.imports} isShown={!hasTables} begin={begin} />
      {!hasTables && <WhatLeaves />}
      <OfflineLine isReady={worksOffline} />
      <TableDialogs workspace={workspace} used={used} />
    </>
  )
}
