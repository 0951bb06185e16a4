import { type ReactNode, useCallback, useMemo } from 'react'
import { Markdown } from '../../../components/markdown/markdown.tsx'
import { type AnswerPiece, isCell, type Proof } from '../../domain/proof.ts'
import { NumberChip } from './number-chip.tsx'

interface AnswerTextProps {
  readonly pieces: readonly AnswerPiece[]
  /** What the inspector shows. */
  readonly chosen: Proof | null
  readonly onChoose: (proof: Proof) => void
}

// Two characters no text can mean: they mark where a number stood while the rest is read as Markdown.
const [opening, closing] = ['\uFDD0', '\uFDD1']
const mark = new RegExp(`${opening}(\\d+)${closing}`)
const strays = new RegExp(`[${opening}${closing}]`, 'g')

export function AnswerText({ pieces, chosen, onChoose }: AnswerTextProps) {
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

/** What stands at a number without a space stays on its line: words that close after one, and open before the next. */
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
