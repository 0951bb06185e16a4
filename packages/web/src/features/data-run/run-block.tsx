import { visibleText } from '@quarterdeck/protocol'
import { type ReactNode, useId } from 'react'
import { type Ask, hasRows, type Run, type Step } from '../../analysis/analysis.ts'
import { countWords } from '../../analysis/count-words.ts'
import type { AnswerPiece, Proof } from '../../analysis/proof.ts'
import { changedBasis } from '../../analysis/steps/changed-basis.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorCard } from '../../ui/error-card.tsx'
import { AnswerCard } from './answer-card.tsx'
import { AskCard } from './ask-card.tsx'
import { RunLine } from './run-line.tsx'
import { correctedBy } from './run-story.ts'
import { StepLine } from './step-line.tsx'
import { ThoughtLine } from './thought-line.tsx'

export interface RunActs {
  readonly onStep: (n: number) => void
  readonly onProof: (proof: Proof) => void
  /** Rejects where the answer was not taken. */
  readonly onAnswer: (to: Ask, answer: string) => Promise<void>
  readonly onFollowUp: (question: string) => void
  readonly onRetry: (run: Run) => void
}

interface RunBlockProps {
  readonly run: Run
  /** Of the whole analysis: an answer may stand on steps of a question before. */
  readonly allSteps: readonly Step[]
  /** Who is asked; `null` where it is not known. */
  readonly agent: string | null
  readonly pieces: readonly AnswerPiece[] | null
  /** What the inspector shows: a step, and maybe a cell of it. */
  readonly chosen: { readonly step: number; readonly proof: Proof | null } | null
  readonly charts: ReactNode
  readonly acts: RunActs
}

/** One question and everything that came of it. */
export function RunBlock({ run, allSteps, agent, pieces, chosen, charts, acts }: RunBlockProps) {
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
          {run.steps.map((step, place) => (
            <StepLine
              key={step.n}
              step={step}
              place={placeOf(place, run.steps.length)}
              isChosen={chosen?.step === step.n}
              correctedBy={correctedBy(step, run.steps)}
              onChoose={() => acts.onStep(step.n)}
            />
          ))}
        </ol>
      )}
      {run.ask !== null && (
        <AskCard
          key={run.ask.callId}
          ask={run.ask}
          steps={run.steps}
          agent={agent ?? 'The model'}
          onAnswer={acts.onAnswer}
        />
      )}
      {run.answer !== null && (
        <AnswerCard
          answer={run.answer}
          pieces={pieces}
          chosen={chosen?.proof ?? null}
          isOutdated={changedBasis(run, allSteps).length > 0}
          charts={charts}
          onChoose={acts.onProof}
          onFollowUp={acts.onFollowUp}
        />
      )}
      {run.state === 'failed' && <Failed run={run} onRetry={() => acts.onRetry(run)} />}
      {run.state === 'cancelled' && (
        <p className="text-2 kept-line">
          {keptSteps(run) === 0 ? 'No step had rows yet.' : `${keptWords(run)} are kept and can be opened.`}
        </p>
      )}
    </section>
  )
}

function placeOf(place: number, count: number): 'first' | 'last' | 'only' | 'between' {
  if (count === 1) return 'only'
  return place === 0 ? 'first' : place === count - 1 ? 'last' : 'between'
}

function Failed({ run, onRetry }: { readonly run: Run; readonly onRetry: () => void }) {
  const { failure } = run
  return (
    <ErrorCard
      what="The question was not answered"
      detail={visibleText(failure?.message ?? 'It ended without an answer.')}
      kept={`the question${keptSteps(run) === 0 ? '.' : ` and ${keptWords(run).toLowerCase()}.`}`}
      {...(failure?.code == null ? {} : { id: failure.code })}
    >
      <Button look={['s']} onClick={onRetry}>
        Ask again
      </Button>
    </ErrorCard>
  )
}

const keptSteps = ({ steps }: Run): number => steps.filter(hasRows).length

const keptWords = (run: Run): string => `The rows of ${countWords(keptSteps(run), 'step')}`
