import { visibleText } from '@quarterdeck/protocol'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { type AnalysisStep, hasRows, type Run, type RunPrompt } from '../../domain/analysis.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { AnswerPiece, Proof } from '../../domain/proof.ts'
import { changedBasis } from '../../steps/changed-basis.ts'
import { SmallButton } from '../controls/small-button.tsx'
import { AnswerCard } from './answer-card.tsx'
import { PromptCard } from './prompt-card.tsx'
import { RunLine } from './run-line.tsx'
import { correctedBy } from './run-progress.ts'
import { StepLine } from './step-line.tsx'

interface RunActions {
  readonly onStep: (n: number) => void
  readonly onProof: (proof: Proof) => void
  /** Rejects if the answer was refused. */
  readonly onAnswer: (to: RunPrompt, answer: string) => Promise<void>
  readonly onFollowUp: (question: string) => void
  readonly onRetry: (run: Run) => void
}

interface RunBlockProps {
  readonly run: Run
  /** All steps of the analysis: an answer may use steps of earlier questions. */
  readonly allSteps: readonly AnalysisStep[]
  /** The agent; `null` if unknown. */
  readonly agent: string | null
  readonly pieces: readonly AnswerPiece[] | null
  /** The selection of the inspector: a step, and possibly a cell. */
  readonly chosen: { readonly step: number; readonly proof: Proof | null } | null
  readonly charts: ReactNode
  readonly actions: RunActions
}

/** One question with its steps and answer. */
export function RunBlock({ run, allSteps, agent, pieces, chosen, charts, actions }: RunBlockProps) {
  const id = useId()
  return (
    <section className="run" aria-labelledby={id} data-run={run.id}>
      <h2 className="q" id={id}>
        {visibleText(run.question)}
      </h2>
      <RunLine run={run} />
      {run.said !== '' && (
        <ThoughtLine text={run.said} isThinking={run.state === 'running' && run.steps.length === 0} />
      )}
      {run.steps.length > 0 && (
        <ol aria-label="Steps">
          {run.steps.map((step, position) => (
            <StepLine
              key={step.n}
              step={step}
              isFirst={position === 0}
              isLast={position === run.steps.length - 1}
              isChosen={chosen?.step === step.n}
              correctedBy={correctedBy(step, run.steps)}
              onChoose={() => actions.onStep(step.n)}
            />
          ))}
        </ol>
      )}
      {run.ask !== null && (
        <PromptCard
          key={run.ask.callId}
          prompt={run.ask}
          steps={run.steps}
          agent={agent ?? 'The model'}
          onAnswer={actions.onAnswer}
        />
      )}
      {run.answer !== null && (
        <AnswerCard
          answer={run.answer}
          pieces={pieces}
          chosen={chosen?.proof ?? null}
          isOutdated={changedBasis(run, allSteps).length > 0}
          charts={charts}
          onChoose={actions.onProof}
          onFollowUp={actions.onFollowUp}
        />
      )}
      {run.state === 'failed' && <Failed run={run} onRetry={() => actions.onRetry(run)} />}
      {run.state === 'cancelled' && (
        <p className="text-2 kept-line">
          {stepsWithRows(run) === 0 ? 'No step has rows yet.' : `${storedStepsLabel(run)} are kept and can be opened.`}
        </p>
      )}
    </section>
  )
}

function Failed({ run, onRetry }: { readonly run: Run; readonly onRetry: () => void }) {
  const { failure } = run
  return (
    <ErrorCard
      what="The question was not answered"
      detail={visibleText(failure?.message ?? 'The run ended without an answer.')}
      saved={`the question${stepsWithRows(run) === 0 ? '.' : ` and ${storedStepsLabel(run).toLowerCase()}.`}`}
      {...(failure?.code == null ? {} : { id: failure.code })}
    >
      <SmallButton onClick={onRetry}>Ask again</SmallButton>
    </ErrorCard>
  )
}

const stepsWithRows = ({ steps }: Run): number => steps.filter(hasRows).length

const storedStepsLabel = (run: Run): string => `The rows of ${countLabel(stepsWithRows(run), 'step')}`

/** Text of the model between calls: one muted, collapsed line. It is not part of the answer. */
function ThoughtLine({ text, isThinking }: { readonly text: string; readonly isThinking: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <div>
      <button type="button" className="plain think" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isThinking ? 'Thinking' : 'Thoughts'}
        <Chevron className="icon s" aria-hidden="true" />
      </button>
      {isOpen && <div className="thought">{visibleText(text)}</div>}
    </div>
  )
}
