import { visibleText } from '@quarterdeck/protocol'
import { type Dispatch, type SetStateAction, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { AppShell } from '../../../app/shell/app-shell.tsx'
import { usePageTitle } from '../../../hooks/use-page-title.ts'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices, OpenAnalysis } from '../../domain/data-services.ts'
import { withSentErrors } from '../../domain/sent-entries.ts'
import type { Proofs } from '../../proof/create-answer-proofs.ts'
import { readDraft, saveDraft } from '../../storage/analysis-drafts.ts'
import { AskTab } from '../ask/ask-tab.tsx'
import { SqlConsole } from '../console/sql-console.tsx'
import { useChanges } from '../controls/use-changes.ts'
import { useDataFiles } from '../import/use-data-files.ts'
import { ProfileTab } from '../profile/profile-tab.tsx'
import { ExportMenu } from '../report/export-menu.tsx'
import { ReportTab } from '../report/report-tab.tsx'
import { SentLogDrawer } from '../sent-log/sent-log-drawer.tsx'
import { StepPane } from '../step/step-pane.tsx'
import { useAnalysisNavigation } from '../use-analysis-navigation.ts'
import { AnalysisCrumbs } from './analysis-crumbs.tsx'
import { AnalysisTabs } from './analysis-tabs.tsx'
import { DataPane } from './data-pane.tsx'
import { useProofs } from './use-proofs.ts'

export function LiveAnalysis({ services, open }: { readonly services: DataServices; readonly open: OpenAnalysis }) {
  const { analysis, proofs, navigation } = useShownAnalysis(services, open)
  const [draft, setDraft] = useDraft(analysis.id)
  const [showsData, setShowsData] = useState(false)
  const [showsSentLog, setShowsSentLog] = useState(false)
  const naming = useChanges()
  const files = useDataFiles(services)
  const box = useRef<HTMLTextAreaElement>(null)
  const run = analysis.runs.at(-1)
  usePageTitle(titleOf(analysis.title, run?.state === 'running'), run?.state === 'waiting' ? 1 : 0)

  /** Fills the composer, so that the user can read it before asking. */
  function propose(question: string): void {
    setDraft(question)
    setShowsData(false)
    if (navigation.tab !== 'ask') navigation.goTab('ask')
    // The composer may not be rendered yet.
    setTimeout(() => box.current?.focus())
  }

  const step = navigation.tab === 'ask' && navigation.chosen !== null ? navigation.chosen : null
  return (
    <AppShell
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
        <h1 className="visually-hidden">{visibleText(analysis.title)}</h1>
        <AnalysisTabs
          tab={navigation.tab}
          isData={showsData}
          onTab={(tab) => {
            setShowsData(false)
            navigation.goTab(tab)
          }}
          onData={() => setShowsData(true)}
          end={
            <ExportMenu
              analysis={analysis}
              proofs={proofs}
              step={navigation.chosen?.step ?? null}
              readRows={open.rows}
            />
          }
        />
        <DataPane services={services} open={open} files={files} onAsk={propose} onProfile={navigation.goProfile} />
        {navigation.tab === 'ask' && (
          <AskTab
            services={services}
            open={open}
            analysis={analysis}
            proofs={proofs}
            navigation={navigation}
            draft={draft}
            box={box}
            onDraft={setDraft}
            onPropose={propose}
            onSentLog={() => setShowsSentLog(true)}
            onAdd={files.pick}
          />
        )}
        {navigation.tab === 'profile' && (
          <ProfileTab services={services} table={navigation.table} onTable={navigation.goProfile} onAdd={files.pick} />
        )}
        {navigation.tab === 'report' && <ReportTab analysis={analysis} proofs={proofs} onAsk={() => propose(draft)} />}
        {navigation.tab === 'sql' && <SqlConsole services={services} analysisId={analysis.id} />}
        {step !== null && (
          <StepPane
            key={step.step}
            services={services}
            open={open}
            analysis={analysis}
            proofs={proofs}
            chosen={step}
            onClose={() => navigation.goStep(null)}
            onAskAbout={(n) => propose(`${draft.trimEnd()}${draft.trim() === '' ? '' : ' '}step ${n} `)}
          />
        )}
        {showsSentLog && <SentLogDrawer analysis={analysis} onClose={() => setShowsSentLog(false)} />}
      </main>
    </AppShell>
  )
}

/** The analysis as shown, the rows behind its answers, and the open tab and step. */
function useShownAnalysis(services: DataServices, open: OpenAnalysis) {
  const stored = useStore(open.state)
  const analysis = useMemo(() => ({ ...stored, runs: withSentErrors(stored) }), [stored])
  const engine = useStore(services.engine).status
  const proofs = useProofs(open, analysis, engine)
  const { listed } = useStore(services.tables)
  const tables = useMemo(() => (listed ?? []).map(({ name }) => name), [listed])
  const columnsOf = useCallback((n: number) => columnsOfStep(proofs, n), [proofs])
  const navigation = useAnalysisNavigation(analysis.id, { tables, columnsOf })
  return { analysis, proofs, navigation }
}

function columnsOfStep(proofs: Proofs, n: number): readonly string[] | null {
  const rows = [...proofs.values()].map(({ rowsByStep }) => rowsByStep.get(n)).find((found) => found !== undefined)
  return rows?.columns.map(({ name }) => name) ?? null
}

const titleOf = (title: string, isRunning: boolean): string => (isRunning ? `… ${title}` : title)

/** Stored in this browser until it is asked. */
function useDraft(analysisId: string): readonly [string, Dispatch<SetStateAction<string>>] {
  const [draft, setDraft] = useState(() => readDraft(analysisId))
  useEffect(() => saveDraft(analysisId, draft), [analysisId, draft])
  return [draft, setDraft]
}
