import { type Dispatch, type RefObject, type SetStateAction, useRef } from 'react'
import { sentence } from '../../../components/format/sentence.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { useStore } from '../../../hooks/use-store.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { type Analysis, isOpenRun } from '../../domain/analysis.ts'
import type { AnalysisQuestion, DataServices, OpenAnalysis } from '../../domain/data-services.ts'
import type { RunProof } from '../../proof/create-answer-proofs.ts'
import { RunCharts } from '../charts/run-charts.tsx'
import { SmallButton } from '../controls/small-button.tsx'
import { useChanges } from '../controls/use-changes.ts'
import { RunBlock } from '../run/run-block.tsx'
import type { AnalysisNavigation } from '../use-analysis-navigation.ts'
import { AskNotices } from './ask-notices.tsx'
import { PrivacyBar } from './privacy-bar.tsx'
import { QuestionComposer } from './question-composer.tsx'
import { useShowNewRun } from './use-show-new-run.ts'

interface AskTabProps {
  readonly services: DataServices
  readonly open: OpenAnalysis
  readonly analysis: Analysis
  readonly proofs: ReadonlyMap<string, RunProof>
  readonly navigation: AnalysisNavigation
  readonly draft: string
  readonly box: RefObject<HTMLTextAreaElement | null>
  readonly onDraft: Dispatch<SetStateAction<string>>
  readonly onPropose: (question: string) => void
  readonly onSentLog: () => void
  /** The user wants to add a file. */
  readonly onAdd: () => void
}

/** The questions and answers, above the composer. */
export function AskTab(props: AskTabProps) {
  const { services, open, analysis, proofs, navigation, draft, onDraft, onPropose } = props
  const { tables, listed } = useStore(services.tables)
  // A question can be asked before the database has started: it is sent when the tables are restored.
  const known = tables ?? listed ?? []
  const { info } = useStore(useWorkbench().server)
  const asking = useAction()
  const changing = useChanges()
  const list = useRef<HTMLDivElement>(null)
  const showNext = useShowNewRun(list, analysis.runs.length)
  const running = analysis.runs.find(isOpenRun)
  const allSteps = analysis.runs.flatMap(({ steps }) => steps)

  const ask = (question: AnalysisQuestion) =>
    asking.run(async () => {
      showNext()
      const refused = await open.ask(question)
      if (refused !== null) throw refused
      // Text typed meanwhile is the next question.
      onDraft((now) => (now.trim() === question.question ? '' : now))
    })

  return (
    <section className="pane ask-col" aria-label="Ask">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <div className="runs scroll" role="log" aria-label="Questions and answers" ref={list} tabIndex={0}>
        {analysis.runs.length === 0 && (
          <NoQuestionYet hasTables={known.length > 0} onAsk={() => props.box.current?.focus()} onAdd={props.onAdd} />
        )}
        {analysis.runs.map((run) => (
          <RunBlock
            key={run.id}
            run={run}
            allSteps={allSteps}
            agent={analysis.agent}
            pieces={proofs.get(run.id)?.pieces ?? null}
            chosen={navigation.chosen}
            charts={<RunCharts run={run} rowsByStep={proofs.get(run.id)?.rowsByStep} onChoose={open.chooseChart} />}
            actions={{
              onStep: navigation.goStep,
              onProof: navigation.goProof,
              onAnswer: open.answerPrompt,
              onFollowUp: onPropose,
              onRetry: ({ question, tier, thinking }) => void ask({ question, tier, thinking }),
            }}
          />
        ))}
      </div>
      <div className="foot">
        <AskNotices services={services} open={open} analysis={analysis} />
        {changing.failure !== null && (
          <div className="status-line failure" role="alert">
            {sentence(`Not done: ${changing.failure.message}`)}
          </div>
        )}
        {asking.isBusy && tables === null && (
          <div className="status-line" role="status">
            The database is still starting. Your question is asked when it is ready.
          </div>
        )}
        <PrivacyBar
          level={analysis.level}
          sentBytes={analysis.sent.reduce((sum, { bytes }) => sum + bytes, 0)}
          isFixed={running !== undefined}
          onLevel={(level) => changing.make(() => open.setLevel(level))}
          onSentLog={props.onSentLog}
        />
        <QuestionComposer
          draft={draft}
          onDraft={onDraft}
          box={props.box}
          placeholder={analysis.runs.length === 0 ? 'Ask a question about these tables' : 'Ask a follow-up'}
          tables={known.map(({ name }) => name)}
          scope={analysis.scope}
          onScope={(scope) => changing.make(() => open.setScope(scope))}
          estimate={open.estimate}
          isSimulated={info?.usesSimulator ?? false}
          runningId={running?.id ?? null}
          isSending={asking.isBusy}
          onAsk={(question) => void ask(question)}
          onStop={() => changing.make(open.cancel)}
          problem={asking.failure === null ? null : sentence(`Not asked: ${asking.failure.message}`)}
        />
      </div>
    </section>
  )
}

interface NoQuestionYetProps {
  readonly hasTables: boolean
  readonly onAsk: () => void
  readonly onAdd: () => void
}

/** Before the first question. */
function NoQuestionYet({ hasTables, onAsk, onAdd }: NoQuestionYetProps) {
  return (
    <div className="empty">
      <h2>{hasTables ? 'Ask your data' : 'Add a table first'}</h2>
      <p>
        {hasTables
          ? 'Ask in your own words. You can open, change and rerun every step of the answer, and every number links to the cell that proves it.'
          : 'Drop a file anywhere on this page, or choose one. It stays in this browser, and your typed question is kept.'}
      </p>
      <SmallButton onClick={hasTables ? onAsk : onAdd}>{hasTables ? 'Write a question' : 'Choose files'}</SmallButton>
    </div>
  )
}
