import { visibleText } from '@quarterdeck/protocol'
import { History, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import type { Run } from '../../domain/analysis.ts'
import type { AnswerPiece, Proof } from '../../domain/proof.ts'
import { AnswerText } from './answer-text.tsx'

export interface AnswerCardProps {
  readonly answer: NonNullable<Run['answer']>
  /** `null` while the rows that prove its numbers are loading. */
  readonly pieces: readonly AnswerPiece[] | null
  readonly chosen: Proof | null
  readonly isOutdated: boolean
  readonly charts: ReactNode
  readonly onChoose: (proof: Proof) => void
  readonly onFollowUp: (question: string) => void
}

export function AnswerCard(props: AnswerCardProps) {
  const { answer, pieces, isOutdated, charts, onFollowUp } = props
  const caveats = answer.caveats ?? []
  const followUps = answer.followUps ?? []
  return (
    <article className="answer" aria-label="Answer">
      {isOutdated && (
        <p className="row text-2 outdated">
          <History className="icon s" aria-hidden="true" />
          Based on an earlier version: a step it uses was changed since.
        </p>
      )}
      <AnswerText
        pieces={pieces ?? [{ kind: 'text', text: answer.answer }]}
        chosen={props.chosen}
        onChoose={props.onChoose}
      />
      {charts}
      {(caveats.length > 0 || followUps.length > 0) && (
        <div className="notes">
          {caveats.length > 0 && (
            <ul className="caveats icon-list" aria-label="Caveats">
              {caveats.map((caveat) => (
                <li key={caveat}>
                  <Info className="icon s" aria-hidden="true" />
                  <span>{visibleText(caveat)}</span>
                </li>
              ))}
            </ul>
          )}
          {followUps.length > 0 && (
            <div className="follow-ups">
              {followUps.slice(0, 4).map((question) => (
                <Button key={question} variant={['s']} onClick={() => onFollowUp(question)}>
                  {visibleText(question)}
                </Button>
              ))}
            </div>
          )}
        </div>
      )}
    </article>
  )
}
