import type { PrivacyLevel } from '@quarterdeck/protocol'
import { ShieldCheck } from 'lucide-react'
import { formatBytes } from '../../../components/format/format-bytes.ts'
import { disclosureOf } from '../../domain/disclosure.ts'
import { ChoiceMenu } from '../controls/choice-menu.tsx'
import { QuietButton } from '../controls/quiet-button.tsx'

interface PrivacyBarProps {
  readonly level: PrivacyLevel
  readonly sentBytes: number
  /** The level cannot change while a question runs. */
  readonly isFixed: boolean
  readonly onLevel: (level: PrivacyLevel) => void
  readonly onSentLog: () => void
}

/** Always above the composer: one exact sentence and two links. */
export function PrivacyBar({ level, sentBytes, isFixed, onLevel, onSentLog }: PrivacyBarProps) {
  // Unknown levels are treated as level 0.
  const { sees, never } = labels[level] ?? namesOnly
  return (
    <section className="row privacy" aria-label="What the model sees">
      <ShieldCheck className="icon s success" aria-hidden="true" />
      <span className="grow">
        The model sees <b>{sees}</b>. {never}
      </span>
      <ChoiceMenu
        label="Change what the model sees"
        text="Change"
        disabled={isFixed}
        chosen={level}
        options={labels.map((one, value) => ({
          value,
          name: `${value} · ${one.name}`,
          about: `Sees ${one.sees}. ${one.never}`,
        }))}
        onChoose={onLevel}
      />
      <QuietButton onClick={onSentLog}>
        <span className="num">
          Sent<span className="drop-narrow"> to this server</span>: {formatBytes(sentBytes)}
        </span>
      </QuietButton>
    </section>
  )
}

interface LevelLabels {
  readonly name: string
  /** What the model sees and never sees. Always says whose rows: "a row of your files" or "summary rows". */
  readonly sees: string
  readonly never: string
}

const namesOnly: LevelLabels = {
  name: 'Names only',
  sees: 'column names, types and row counts',
  never: 'Never a value: no summary number and no row of your files.',
}

/** By level. */
const labels: readonly LevelLabels[] = [
  namesOnly,
  {
    name: 'Summaries',
    sees: 'column names, types, summary numbers and the most frequent texts',
    never: 'Never a row of your files unless you allow it.',
  },
  { name: 'Samples', sees: rowsSeen(2), never: 'Never the remaining rows of your files.' },
  { name: 'Steps', sees: rowsSeen(3), never: 'Never a whole file, or columns marked “never send”.' },
]

function rowsSeen(level: PrivacyLevel): string {
  const { sampleRows, maxRows } = disclosureOf(level)
  return `summary numbers, ${sampleRows} sample rows of each table and up to ${maxRows} rows of each step`
}
