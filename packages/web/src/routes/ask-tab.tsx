import { type RefObject, useEffect, useRef } from 'react'
import type { Analysis, ChartChoice, Run } from '../analysis/analysis.ts'
import type { OpenAnalysis, Question, Workspace } from '../analysis/workspace.ts'
import { AskComposer } from '../features/data-ask/ask-composer.tsx'
import { PrivacyBar } from '../features/data-ask/privacy-bar.tsx'
import { RunCharts } from '../features/data-chart/run-charts.tsx'
import { RunBlock } from '../features/data-run/run-block.tsx'
import { useAction } from '../hooks/use-action.ts'
import type { RunProof } from '../hooks/use-proofs.ts'
import { useStore } from '../hooks/use-store.ts'
import { AskNotices } from './ask-notices.tsx'
import { NoQuestionYet } from './no-question-yet.tsx'
import type { AnalysisPlace } from './use-analysis-place.ts'

interface AskTabProps {
  readonly workspace: Workspace
  readonly open: OpenAnalysis
  readonly analysis: Analysis
  readonly proofs: ReadonlyMap<string, RunProof>
  readonly place: AnalysisPlace
  readonly draft: string
  readonly box: RefObject<HTMLTextAreaElement | null>
  readonly onDraft: (draft: string) => void
  readonly onPropose: (question: string) => void
  readonly onLedger: () => void
}

/** What was asked and what came of it, over the box for the next question. */
export function AskTab(props: AskTabProps) {
  const { workspace, open, analysis, proofs, place, draft, onDraft, onPropose } = props
  const { tables } = useStore(workspace.tables)
  const asking = useAction()
  const answering = useAction()
  const list = useRef<HTMLDivElement>(null)
  useShowNewRun(list, analysis.runs.length)
  const isRunning = analysis.runs.some(({ state }) => state === 'running' || state === 'waiting')
  const allSteps = analysis.runs.flatMap(({ steps }) => steps)

  const ask = (question: Question) =>
    asking.run(async () => {
      const refused = await open.ask(question)
      if (refused !== null) throw refused
      if (question.question === draft.trim()) onDraft('')
    })

  return (
    <section className="pane ask-col" aria-label="Ask">
      <h1 className="unseen">{analysis.title}</h1>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <div className="runs scroll" role="log" aria-label="Questions and answers" ref={list} tabIndex={0}>
        {analysis.runs.length === 0 && <NoQuestionYet hasTables={(tables ?? []).length > 0} />}
        {analysis.runs.map((run) => (
          <RunBlock
            key={run.id}
            run={run}
            allSteps={allSteps}
            pieces={proofs.get(run.id)?.pieces ?? null}
            chosen={place.chosen}
            isBusy={answering.isBusy}
            charts={<Charts run={run} proof={proofs.get(run.id)} open={open} />}
            acts={{
              onStep: place.goStep,
              onProof: place.goProof,
              onAnswer: (answer) => void answering.run(() => open.answerAsk(answer)),
              onFollowUp: onPropose,
              onRetry: ({ question, tier, thinking }) => void ask({ question, tier, thinking }),
            }}
          />
        ))}
      </div>
      <div className="foot">
        <AskNotices workspace={workspace} open={open} analysis={analysis} />
        <PrivacyBar
          level={analysis.level}
          sentBytes={analysis.ledger.reduce((sum, { bytes }) => sum + bytes, 0)}
          isFixed={isRunning}
          onLevel={(level) => void open.setLevel(level)}
          onLedger={props.onLedger}
        />
        <AskComposer
          draft={draft}
          onDraft={onDraft}
          box={props.box}
          placeholder={analysis.runs.length === 0 ? 'Ask a question about these tables' : 'Ask a follow-up'}
          tables={(tables ?? []).map(({ name }) => name)}
          scope={analysis.scope}
          onScope={(scope) => void open.setScope(scope)}
          estimate={open.estimate}
          isRunning={isRunning}
          isSending={asking.isBusy}
          onAsk={(question) => void ask(question)}
          onStop={() => void open.cancel()}
          problem={asking.failure === null ? null : `Not asked: ${asking.failure.message}.`.replace(/\.+$/, '.')}
        />
      </div>
    </section>
  )
}

interface ChartsProps {
  readonly run: Run
  /** Absent while its rows are read. */
  readonly proof: RunProof | undefined
  readonly open: OpenAnalysis
}

function Charts({ run, proof, open }: ChartsProps) {
  if (proof === undefined) return null
  const choose = (index: number, choice: ChartChoice) => open.chooseChart(run.id, index, choice)
  return <RunCharts run={run} rowsByStep={proof.rowsByStep} onChoose={choose} />
}

/** A question that was just asked comes into sight; nothing else ever moves the page. */
function useShowNewRun(list: RefObject<HTMLDivElement | null>, count: number): void {
  const before = useRef<number | null>(null)
  useEffect(() => {
    const isFirstLook = before.current === null
    if (isFirstLook || count > (before.current ?? 0)) {
      list.current?.querySelector('.run:last-of-type')?.scrollIntoView({ block: isFirstLook ? 'nearest' : 'start' })
    }
    before.current = count
  }, [list, count])
}
