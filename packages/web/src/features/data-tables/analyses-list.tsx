import { visibleText } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import type { AnalysisSummary } from '../../analysis/workspace.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useLedAnalyses } from '../../hooks/use-led-analyses.ts'
import { useNow } from '../../hooks/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatAge } from '../../ui/format-time.ts'
import { Menu } from '../../ui/menu.tsx'
import { StateLabel } from '../../ui/state-label.tsx'
import { analysisState } from './analysis-state.ts'

interface AnalysesListProps {
  /** The newest first. */
  readonly analyses: readonly AnalysisSummary[]
  readonly onRemove: (id: string) => Promise<void>
}

export function AnalysesList({ analyses, onRemove }: AnalysesListProps) {
  const now = useNow(10_000)
  const led = useLedAnalyses(analyses)
  const [asked, setAsked] = useState<AnalysisSummary | null>(null)
  return (
    <>
      <ul className="data-rows" aria-label="Analyses">
        {analyses.map((analysis) => {
          const { id, questions, changedAt, lastState } = analysis
          const title = titleOf(analysis)
          return (
            <li key={id} className="data-row">
              <Link to="/data/$analysisId" params={{ analysisId: id }} className="grow">
                <b className="cut">{title}</b>
                <small className="num">
                  <StateLabel state={analysisState(analysis, led)} {...(lastState === null ? { words: 'New' } : {})} />
                  <span>
                    {questions === 0 ? 'no question yet' : `${questions} ${questions === 1 ? 'question' : 'questions'}`}
                  </span>
                  <span>{ago(formatAge(changedAt, now))}</span>
                </small>
              </Link>
              <Menu label={`More for ${title}`} icon={<Ellipsis className="icon" aria-hidden="true" />}>
                {(choose) => (
                  <button type="button" className="danger" onClick={choose(() => setAsked(analysis))}>
                    Remove
                  </button>
                )}
              </Menu>
            </li>
          )
        })}
      </ul>
      {asked !== null && (
        <RemoveAnalysis analysis={asked} onRemove={() => onRemove(asked.id)} onClose={() => setAsked(null)} />
      )}
    </>
  )
}

interface RemoveAnalysisProps {
  readonly analysis: AnalysisSummary
  readonly onRemove: () => Promise<void>
  readonly onClose: () => void
}

function RemoveAnalysis({ analysis, onRemove, onClose }: RemoveAnalysisProps) {
  const remove = useAction()
  return (
    <Dialog
      title="Remove this analysis?"
      onClose={onClose}
      foot={
        <>
          <Button
            look={['danger']}
            disabled={remove.isBusy}
            onClick={() => void remove.run(onRemove).then((isDone) => isDone && onClose())}
          >
            Remove for good
          </Button>
          <Button look={['quiet']} onClick={onClose}>
            Keep it
          </Button>
          {remove.failure !== null && (
            <p className="problem" role="alert">
              {remove.failure.message}
            </p>
          )}
        </>
      }
    >
      <p>
        <b>{titleOf(analysis)}</b>: its questions, steps and answers leave this browser. Your tables stay, and so does
        the session in the server’s log.
      </p>
    </Dialog>
  )
}

const titleOf = ({ title }: AnalysisSummary): string => visibleText(title) || 'New analysis'
const ago = (age: string): string => (age === 'now' ? 'just now' : `${age} ago`)
