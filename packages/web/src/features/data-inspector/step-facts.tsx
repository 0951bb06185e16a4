import { History, Link2, Pencil, Send } from 'lucide-react'
import { isEdited, type Step } from '../../analysis/analysis.ts'
import { formatBytes } from '../../ui/format-bytes.ts'

interface StepFactsProps {
  readonly step: Step
  readonly isCell: boolean
  readonly proves: readonly string[]
}

/** What proves what, what was sent, and who wrote it. */
export function StepFacts({ step, isCell, proves }: StepFactsProps) {
  return (
    <ul className="step-facts">
      {proves.length > 0 && (
        <li className="proven">
          <Link2 className="icon s" aria-hidden="true" />
          <span role="status">
            {isCell ? 'This cell proves' : 'The number of rows proves'} <b>{proves.join(' and ')}</b> in the answer.
          </span>
        </li>
      )}
      <li>
        <Send className="icon s" aria-hidden="true" />
        <span>{sentWords(step)}</span>
      </li>
      <li>
        {isEdited(step) ? (
          <Pencil className="icon s" aria-hidden="true" />
        ) : (
          <History className="icon s" aria-hidden="true" />
        )}
        <span>{isEdited(step) ? 'Edited by you. The model wrote another version.' : 'As the model wrote it.'}</span>
      </li>
    </ul>
  )
}

function sentWords(step: Step): string {
  const { sent, isSummary = false, state } = step
  if (sent === null) return state === 'running' ? 'Nothing of it was sent yet.' : 'Nothing of it was sent to the model.'
  if (isEdited(step)) return `Sent to the model before the edit: ${formatBytes(sent.bytes)}.`
  const size = formatBytes(sent.bytes)
  if (state === 'error') return `Sent to the model: what went wrong, ${size}.`
  if (sent.rows === 0) return `Sent to the model: no rows, only their number and names, ${size}.`
  const one = isSummary ? 'summary row' : 'row'
  return `Sent to the model: ${sent.rows === 1 ? `this 1 ${one}` : `${sent.rows} ${one}s`}, ${size}.`
}
