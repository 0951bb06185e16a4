import '../controls/info-list.css'
import { History, Link2, Pencil, Send } from 'lucide-react'
import { formatBytes } from '../../../components/format/format-bytes.ts'
import { type AnalysisStep, isEdited, type SentPart } from '../../domain/analysis.ts'
import { sentRowsLabel } from '../../domain/sent-entries.ts'

interface StepFactsProps {
  readonly step: AnalysisStep
  readonly isCell: boolean
  readonly proves: readonly string[]
}

/** What the step proves, what was sent, and who wrote it. */
export function StepFacts({ step, isCell, proves }: StepFactsProps) {
  const AuthorIcon = isEdited(step) ? Pencil : History
  return (
    <ul className="step-facts icon-list">
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
        <span>{sentLabel(step)}</span>
      </li>
      <li>
        <AuthorIcon className="icon s" aria-hidden="true" />
        <span>{isEdited(step) ? 'Edited by you. The model wrote another version.' : 'As the model wrote it.'}</span>
      </li>
    </ul>
  )
}

function sentLabel(step: AnalysisStep): string {
  const { sent, state } = step
  if (sent === null)
    return state === 'running' ? 'Nothing of this step was sent yet.' : 'Nothing of this step was sent to the model.'
  const when = isEdited(step) ? 'Sent to the model before the edit' : 'Sent to the model'
  return `${when}: ${sentPartLabel(sent)}, ${formatBytes(sent.bytes)}.`
}

function sentPartLabel(sent: SentPart): string {
  if (sent.isError === true) return 'an error'
  return sent.rows === 0 ? 'no rows, only their number and column names' : sentRowsLabel(sent)
}
