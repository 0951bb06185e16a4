import type { PrivacyLevel } from '@quarterdeck/protocol'
import { ShieldCheck } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { ChoiceMenu } from '../../ui/choice-menu.tsx'
import { formatBytes } from '../../ui/format-bytes.ts'
import { levelWords, privacyLevels } from './level-words.ts'

interface PrivacyBarProps {
  readonly level: PrivacyLevel
  readonly sentBytes: number
  /** While a question runs its level stands. */
  readonly isFixed: boolean
  readonly onLevel: (level: PrivacyLevel) => void
  readonly onLedger: () => void
}

/** Always above the composer: one exact sentence, and two doors. */
export function PrivacyBar({ level, sentBytes, isFixed, onLevel, onLedger }: PrivacyBarProps) {
  const { sees, never } = levelWords(level)
  return (
    <section className="privacy" aria-label="What the model sees">
      <ShieldCheck className="icon s" aria-hidden="true" />
      <span className="grow">
        The model sees <b>{sees}</b>. {never}
      </span>
      <ChoiceMenu
        label="Change what the model sees"
        words="Change"
        disabled={isFixed}
        hasMark={false}
        chosen={level}
        options={privacyLevels.map((one) => ({
          value: one,
          name: `${one} · ${levelWords(one).name}`,
          about: `Sees ${levelWords(one).sees}. ${levelWords(one).never}`,
        }))}
        onChoose={onLevel}
      />
      <Button look={['s', 'quiet']} onClick={onLedger}>
        <span className="num">
          Sent<span className="drop-narrow"> to this server</span>: {formatBytes(sentBytes)}
        </span>
      </Button>
    </section>
  )
}
