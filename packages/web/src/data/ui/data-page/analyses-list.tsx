import { type SessionStatus, visibleText } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Menu } from '../../../components/controls/menu.tsx'
import { formatAge } from '../../../components/format/format-time.ts'
import { StateLabel } from '../../../components/status/state-label.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { ledAnalyses } from '../../domain/analysis-lock.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { AnalysisSummary } from '../../domain/data-services.ts'
import { statusOf } from '../../domain/status-of.ts'
import { ConfirmRemove } from '../controls/confirm-remove.tsx'

interface AnalysesListProps {
  /** Newest first. */
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
            <li key={id} className="row data-row">
              <Link to="/data/$analysisId" params={{ analysisId: id }} className="grow">
                <b className="ellipsis">{title}</b>
                <small className="facts-row caption num">
                  <StateLabel state={analysisState(analysis, led)} {...(lastState === null ? { label: 'New' } : {})} />
                  <span>{questions === 0 ? 'no question yet' : countLabel(questions, 'question')}</span>
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
        <ConfirmRemove
          title="Remove this analysis?"
          action="Remove permanently"
          onRemove={() => onRemove(asked.id)}
          onClose={() => setAsked(null)}
        >
          <b>{titleOf(asked)}</b>: its questions, steps and answers are removed from this browser. Your tables stay, and
          so does the session in the server’s log.
        </ConfirmRemove>
      )}
    </>
  )
}

const titleOf = ({ title }: AnalysisSummary): string => visibleText(title) || 'New analysis'
const ago = (age: string): string => (age === 'now' ? 'just now' : `${age} ago`)

const everyMs = 2000

/**
 * Analyses that a tab runs now; `null` if unknown. Polls while one claims to run, because a closed tab sends no event.
 */
function useLedAnalyses(analyses: readonly AnalysisSummary[]): ReadonlySet<string> | null {
  const [led, setLed] = useState<ReadonlySet<string> | null>(null)
  const key = analyses.flatMap(({ id, lastState }) => (lastState === 'running' ? [id] : [])).join(' ')
  useEffect(() => {
    if (key === '') return
    let isLeft = false
    const ask = async () => {
      const found = await ledAnalyses(navigator.locks).catch(() => null)
      if (!isLeft) setLed(found)
    }
    void ask()
    const timer = setInterval(() => void ask(), everyMs)
    return () => {
      isLeft = true
      clearInterval(timer)
    }
  }, [key])
  return led
}

/** The state of an analysis in a list. `led`: analyses that a tab runs now; `null` if unknown. */
export function analysisState(
  { id, lastState, lastAsk }: Pick<AnalysisSummary, 'id' | 'lastState' | 'lastAsk'>,
  led: ReadonlySet<string> | null,
): SessionStatus {
  if (lastState === null) return 'idle'
  // A run without a tab continues when it is opened.
  if (lastState === 'running' && led !== null && !led.has(id)) return 'waiting_client'
  return statusOf(lastState, lastAsk)
}
