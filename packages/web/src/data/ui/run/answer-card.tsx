import { visibleText } from '@quarterdeck/protocol'
import { History } from 'lucide-react'
import { type ReactNode, useCallback, useMemo } from 'react'
import { Markdown } from '../../../components/markdown/markdown.tsx'
import type { Run } from '../../domain/analysis.ts'
import { type AnswerPiece, isCell, type Proof } from '../../domain/proof.ts'
import { InfoList } from '../controls/info-list.tsx'
import { SmallButton } from '../controls/small-button.tsx'

interface AnswerCardProps {
  readonly answer: NonNullable<Run['answer']>
  /** `null` while the rows that prove its numbers are loading. */
  readonly pieces: readonly AnswerPiece[] | null
  /** The selected proof in the inspector. */
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
          <InfoList className="caveats" items={caveats} label="Caveats" />
          {followUps.length > 0 && (
            <div className="follow-ups">
              {followUps.slice(0, 4).map((question) => (
                <SmallButton key={question} onClick={() => onFollowUp(question)}>
                  {visibleText(question)}
                </SmallButton>
              ))}
            </div>
          )}
        </div>
      )}
    </article>
  )
}

// Two noncharacters that mark the positions of numbers while the text is parsed as Markdown.
const [opening, closing] = ['\uFDD0', '\uFDD1']
const mark = new RegExp(`${opening}(\\d+)${closing}`)
const strays = new RegExp(`[${opening}${closing}]`, 'g')

interface AnswerTextProps extends Pick<AnswerCardProps, 'chosen' | 'onChoose'> {
  readonly pieces: readonly AnswerPiece[]
}

function AnswerText({ pieces, chosen, onChoose }: AnswerTextProps) {
  const text = useMemo(() => pieces.map(marked).join(''), [pieces])
  const renderText = useCallback(
    (answerText: string): ReactNode => {
      const parts = answerText.split(mark)
      if (parts.length === 1) return answerText
      return parts.map((part, index) => {
        const piece = index % 2 === 0 ? undefined : pieces[Number(part)]
        if (piece?.kind !== 'number') return around(parts, index).answerText
        const isChosen = chosen !== null && piece.proof !== null && isSame(piece.proof, chosen)
        return (
          <span key={part} className="unbroken">
            {around(parts, index - 1).opens}
            <NumberChip piece={piece} isChosen={isChosen} onChoose={onChoose} />
            {around(parts, index + 1).closes}
          </span>
        )
      })
    },
    [pieces, chosen, onChoose],
  )
  return <Markdown text={text} renderText={renderText} />
}

const marked = (piece: AnswerPiece, index: number): string =>
  piece.kind === 'number' ? `${opening}${index}${closing}` : piece.text.replace(strays, '')

/** Keeps adjacent punctuation on the line of a number: closing characters after it, opening ones before it. */
function around(parts: readonly string[], index: number) {
  const part = parts[index] ?? ''
  const closes = index === 0 ? '' : (/^[)\]}.,;:!?%”’"'…]+/.exec(part)?.[0] ?? '')
  const rest = part.slice(closes.length)
  const opens = index === parts.length - 1 ? '' : (/[([{“‘„"'$€£+−-]+$/.exec(rest)?.[0] ?? '')
  return { closes, answerText: rest.slice(0, rest.length - opens.length), opens }
}

function isSame(one: Proof, other: Proof): boolean {
  if (one.step !== other.step) return false
  if (isCell(one) && isCell(other)) return one.row === other.row && one.column === other.column
  return isCell(one) === isCell(other)
}

interface NumberChipProps extends Pick<AnswerCardProps, 'onChoose'> {
  readonly piece: Extract<AnswerPiece, { kind: 'number' }>
  readonly isChosen: boolean
}

/** A number that links to its proof. No icon, so that sentences stay readable. */
function NumberChip({ piece: { text, proof }, isChosen, onChoose }: NumberChipProps) {
  if (proof === null) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: focus shows the word that explains the mark
      <span className="proof unverified" tabIndex={0} title="Unverified: no step contains this number">
        {text}
        <span className="visually-hidden unverified-word">unverified</span>
      </span>
    )
  }
  return (
    <button
      type="button"
      className="proof"
      aria-current={isChosen || undefined}
      title={`From step ${proof.step}`}
      onClick={() => onChoose(proof)}
    >
      {text}
    </button>
  )
}
