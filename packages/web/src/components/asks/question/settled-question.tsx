import { type JsonObject, type QuestionEntry, visibleText } from '@quarterdeck/protocol'
import { Check, Clock, X } from 'lucide-react'
import { useNow } from '../../../hooks/use-now.ts'
import { formatMoment } from '../../format/format-time.ts'

interface SettledQuestionProps {
  readonly item: QuestionEntry
  /** The label of a question without an answer. */
  readonly unanswered?: string | undefined
}

/** The question, its answer, who answered, and when. */
export function SettledQuestion({ item, unanswered = 'No longer open' }: SettledQuestionProps) {
  const now = useNow(60_000)
  const { answer, question } = item
  const answers = Object.entries(answer?.answers ?? {})
  const Icon = answer === null ? Clock : answer.answers === null ? X : Check
  const asked = question.message || question.items.map((one) => one.question).join(' ')
  return (
    <div className="ask settled">
      <div className="row settled-line">
        <Icon className="icon s" aria-hidden="true" />
        <span className="ellipsis grow">{visibleText(asked)}</span>
        <span className="end">
          {answerText(item, unanswered)}
          {item.settledAt !== null && `, ${formatMoment(item.settledAt, now)}`}
        </span>
      </div>
      {answers.length > 0 && (
        <dl className="facts-grid answered">
          {answers.map(([name, value]) => (
            <Answer key={name} name={name} value={value} />
          ))}
        </dl>
      )}
      {answer?.note != null && <p className="muted">“{visibleText(answer.note)}”</p>}
    </div>
  )
}

function Answer({ name, value }: { readonly name: string; readonly value: JsonObject[string] }) {
  const one = (part: unknown) => (typeof part === 'string' ? part : JSON.stringify(part))
  return (
    <>
      <dt>{visibleText(name)}</dt>
      <dd>{visibleText(Array.isArray(value) ? value.map(one).join(', ') : one(value))}</dd>
    </>
  )
}

function answerText({ answer, isExpired }: QuestionEntry, unanswered: string): string {
  if (isExpired) return 'Expired unanswered'
  if (answer === null) return unanswered
  return answer.answers === null ? `Declined by ${answer.by}` : `Answered by ${answer.by}`
}
