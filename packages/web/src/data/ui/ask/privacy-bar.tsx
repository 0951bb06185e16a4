import type { PrivacyLevel } from '@quarterdeck/protocol'
import { ShieldCheck } from 'lucide-react'
import { Button } from '../../../components/controls/button.tsx'
import { ChoiceMenu } from '../controls/choice-menu.tsx'
import { formatBytes } from '../controls/format-bytes.ts'
import { levelLabels, privacyLevels } from './level-labels.ts'

interface PrivacyBarProps {
  readonly level: PrivacyLevel
  readonly sentBytes: number
  /** While a question runs its level stands. */
  readonly isFixed: boolean
  readonly onLevel: (level: PrivacyLevel) => void
  readonly onSentLog: () => void
}

/** Always above the composer: one exact sentence, and two doors. */
export function PrivacyBar({ level, sentBytes, isFixed, onLevel, onSentLog }: PrivacyBarProps) {
  const { sees, never } = levelLabels(level)
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
          name: `${one} · ${levelLabels(one).name}`,
          about: `Sees ${levelLabels(one).sees}. ${levelLabels(one).never}`,
        }))}
        onChoose={onLevel}
      />
      <Button variant={['s', 'quiet']} onClick={onSentLog}>
        <span className="num">
          Sent<span className="drop-narrow"> to this server</span>: {formatBytes(sentBytes)}
        </span>
      </Button>
    </section>
  )
}
