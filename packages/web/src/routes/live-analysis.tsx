import { visibleText } from '@quarterdeck/protocol'
import { type Dispatch, type SetStateAction, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Proofs } from '../analysis/proof/create-answer-proofs.ts'
import { withSentErrors } from '../analysis/sent-errors.ts'
import type { OpenAnalysis, Workspace } from '../analysis/workspace.ts'
import { useDataFiles } from '../features/data-import/use-data-files.ts'
import { LedgerDrawer } from '../features/data-ledger/ledger-drawer.tsx'
import { ProfileTab } from '../features/data-profile/profile-tab.tsx'
import { ExportMenu } from '../features/data-report/export-menu.tsx'
import { ReportTab } from '../features/data-report/report-tab.tsx'
import { AppFrame } from '../features/frame/app-frame.tsx'
import { useChanges } from '../hooks/use-changes.ts'
import { usePageTitle } from '../hooks/use-page-title.ts'
import { useProofs } from '../hooks/use-proofs.ts'
import { useStore } from '../hooks/use-store.ts'
import { keepDraft, readDraft } from '../state/analysis-drafts.ts'
import { AnalysisCrumbs } from './analysis-crumbs.tsx'
import { AnalysisTabs } from './analysis-tabs.tsx'
import { AskTab } from './ask-tab.tsx'
import { ConsoleTab } from './console-tab.tsx'
import { DataPane } from './data-pane.tsx'
import { StepPane } from './step-pane.tsx'
import { useAnalysisPlace } from './use-analysis-place.ts'

interface LiveAnalysisProps {
  readonly workspace: Workspace
  readonly open: OpenAnalysis
}

export function LiveAnalysis({ workspace, open }: LiveAnalysisProps) {
  const kept = useStore(open.state)
  const analysis = useMemo(() => ({ ...kept, runs: withSentErrors(kept) }), [kept])
  const engine = useStore(workspace.engine).status
  const proofs = useProofs(open, analysis, engine)
  const { listed } = useStore(workspace.tables)
  const tables = useMemo(() => (listed ?? []).map(({ name }) => name), [listed])
  const columnsOf = useCallback((n: number) => columnsOfStep(proofs, n), [proofs])
  const place = useAnalysisPlace(analysis.id, { tables, columnsOf })
  const [draft, setDraft] = useDraft(analysis.id)
  const [showsData, setShowsData] = useState(false)
  const [showsLedger, setShowsLedger] = useState(false)
  const naming = useChanges()
  const files = useDataFiles(workspace)
  const box = useRef<HTMLTextAreaElement>(null)
  const run = analysis.runs.at(-1)
  usePageTitle(titleOf(analysis.title, run?.state === 'running'), run?.state === 'waiting' ? 1 : 0)

  /** Into the ask box, to be read before it is asked. */
  function propose(question: string): void {
    setDraft(question)
    setShowsData(false)
    if (place.tab !== 'ask') place.goTab('ask')
    // The box may only now be drawn.
    setTimeout(() => box.current?.focus())
  }

  const step = place.tab === 'ask' && place.chosen !== null ? place.chosen : null
  return (
    <AppFrame
      rail="icons"
      crumbs={
        <AnalysisCrumbs
          analysis={analysis}
          problem={naming.failure?.message ?? null}
          onTitle={(title) => naming.make(() => open.setTitle(title))}
        />
      }
    >
      <main
        className="analysis"
        id="content"
        tabIndex={-1}
        data-inspects={step !== null}
        data-shows={showsData ? 'data' : 'centre'}
      >
        <h1 className="unseen">{visibleText(analysis.title)}</h1>
        <AnalysisTabs
          tab={place.tab}
          isData={showsData}
          onTab={(tab) => {
            setShowsData(false)
            place.goTab(tab)
          }}
          onData={() => setShowsData(true)}
          end={<ExportMenu analysis={analysis} rows={proofs} step={place.chosen?.step ?? null} readRows={open.rows} />}
        />
        <DataPane workspace={workspace} open={open} files={files} onAsk={propose} onProfile={place.goProfile} />
        {place.tab === 'ask' && (
          <AskTab
            workspace={workspace}
            open={open}
            analysis={analysis}
            proofs={proofs}
            place={place}
            draft={draft}
            box={box}
            onDraft={setDraft}
            onPropose={propose}
            onLedger={() => setShowsLedger(true)}
            onAdd={files.pick}
          />
        )}
        {place.tab === 'profile' && (
          <ProfileTab workspace={workspace} table={place.table} onTable={place.goProfile} onAdd={files.pick} />
        )}
        {place.tab === 'report' && <ReportTab analysis={analysis} rows={proofs} onAsk={() => propose(draft)} />}
        {place.tab === 'sql' && <ConsoleTab workspace={workspace} analysisId={analysis.id} />}
        {step !== null && (
          <StepPane
            key={step.step}
            workspace={workspace}
            open={open}
            analysis={analysis}
            proofs={proofs}
            chosen={step}
            onClose={() => place.goStep(null)}
            onAskAbout={(n) => propose(`${draft.trimEnd()}${draft.trim() === '' ? '' : ' '}step ${n} `)}
          />
        )}
        {showsLedger && <LedgerDrawer analysis={analysis} onClose={() => setShowsLedger(false)} />}
      </main>
    </AppFrame>
  )
}

function columnsOfStep(proofs: Proofs, n: number): readonly string[] | null {
  const rows = [...proofs.values()].map(({ rowsByStep }) => rowsByStep.get(n)).find((found) => found !== undefined)
  return rows?.columns.map(({ name }) => name) ?? null
}

const titleOf = (title: string, isRunning: boolean): string => (isRunning ? `… ${title}` : title)

/** Kept in this browser until it is asked. */
function useDraft(analysisId: string): readonly [string, Dispatch<SetStateAction<string>>] {
  const [draft, setDraft] = useState(() => readDraft(analysisId))
  useEffect(() => keepDraft(analysisId, draft), [analysisId, draft])
  return [draft, setDraft]
}
