import { History, Link2, Pencil, Send } from 'lucide-react'
import { isEdited, type SentPart, type Step } from '../../analysis/analysis.ts'
import { sentRowsWords } from '../../analysis/sent-rows-words.ts'
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
  const { sent, state } = step
  if (sent === null) return state === 'running' ? 'Nothing of it was sent yet.' : 'Nothing of it was sent to the model.'
  const when = isEdited(step) ? 'Sent to the model before the edit' : 'Sent to the model'
  return `${when}: ${partWords(sent)}, ${formatBytes(sent.bytes)}.`
}

function partWords(sent: SentPart): string {
  if (sent.isError === true) return 'what went wrong'
  return sent.rows === 0 ? 'no rows, only their number and names' : sentRowsWords(sent)
}
