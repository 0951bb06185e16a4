import { formatDuration, formatSpent, type SessionState } from '@quarterdeck/protocol'
import type { SettingsDraft } from '../../../stores/session/settings-draft.ts'

interface LimitsFieldsProps {
  readonly session: SessionState
  readonly draft: SettingsDraft
  readonly onChange: (part: Partial<SettingsDraft>) => void
}

/** Each limit with its current use, so that users do not set one that is already exceeded. */
export function LimitsFields({ session, draft, onChange }: LimitsFieldsProps) {
  const fields = [
    ['maxBudgetUsd', 'Dollars', `${formatSpent(session)} spent`],
    ['maxTurns', 'Turns', `${session.numTurns} taken`],
    ['maxMinutes', 'Minutes of work', `${formatDuration(session.durationMs)} worked`],
  ] as const
  return (
    <fieldset className="options">
      <legend className="label">Limits</legend>
      {fields.map(([key, name, used]) => (
        <label className="amount" key={key}>
          <span className="grow">
            {name} <small className="muted">{used}</small>
          </span>
          <input
            className="field num"
            inputMode="decimal"
            value={draft[key]}
            onChange={(event) => onChange({ [key]: event.target.value })}
          />
        </label>
      ))}
    </fieldset>
  )
}
