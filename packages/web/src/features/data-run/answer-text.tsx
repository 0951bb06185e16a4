import { type ReactNode, useCallback, useMemo } from 'react'
import { type AnswerPiece, isCell, type Proof } from '../../analysis/proof.ts'
import { Markdown } from '../../ui/markdown/markdown.tsx'
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
  const renderWords = useCallback(
    (words: string): ReactNode => {
      const parts = words.split(mark)
      if (parts.length === 1) return words
      return parts.map((part, place) => {
        const piece = place % 2 === 0 ? undefined : pieces[Number(part)]
        if (piece?.kind !== 'number') return around(parts, place).words
        const isChosen = chosen !== null && piece.proof !== null && isSame(piece.proof, chosen)
        return (
          <span key={part} className="unbroken">
            {around(parts, place - 1).opens}
            <NumberChip piece={piece} isChosen={isChosen} onChoose={onChoose} />
            {around(parts, place + 1).closes}
          </span>
        )
      })
    },
    [pieces, chosen, onChoose],
  )
  return <Markdown text={text} renderWords={renderWords} />
}

const marked = (piece: AnswerPiece, place: number): string =>
  piece.kind === 'number' ? `${opening}${place}${closing}` : piece.text.replace(strays, '')

/** What stands at a number without a space stays on its line: words that close after one, and open before the next. */
function around(parts: readonly string[], place: number) {
  const part = parts[place] ?? ''
  const closes = place === 0 ? '' : (/^[)\]}.,;:!?%”’"'…]+/.exec(part)?.[0] ?? '')
  const rest = part.slice(closes.length)
  const opens = place === parts.length - 1 ? '' : (/[([{“‘„"'$€£+−-]+$/.exec(rest)?.[0] ?? '')
  return { closes, words: rest.slice(0, rest.length - opens.length), opens }
}

function isSame(one: Proof, other: Proof): boolean {
  if (one.step !== other.step) return false
  if (isCell(one) && isCell(other)) return one.row === other.row && one.column === other.column
  return isCell(one) === isCell(other)
}
