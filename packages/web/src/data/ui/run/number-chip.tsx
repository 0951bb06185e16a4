import type { AnswerPiece, Proof } from '../../domain/proof.ts'

interface NumberChipProps {
  readonly piece: Extract<AnswerPiece, { kind: 'number' }>
  readonly isChosen: boolean
  readonly onChoose: (proof: Proof) => void
}

/** A figure that leads to what proves it. No icon, so that a sentence stays a sentence. */
export function NumberChip({ piece: { text, proof }, isChosen, onChoose }: NumberChipProps) {
  if (proof === null) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the word that explains the mark comes with the focus
      <span className="proof unverified" tabIndex={0} title="Unverified: no step has this number">
        {text}
        <span className="unverified-word">unverified</span>
      </span>
    )
  }
  return (
    <button
      type="button"
      className="proof"
      {...(isChosen ? { 'aria-current': 'true' as const } : {})}
      title={`From step ${proof.step}`}
      onClick={() => onChoose(proof)}
    >
      {text}
    </button>
  )
}
