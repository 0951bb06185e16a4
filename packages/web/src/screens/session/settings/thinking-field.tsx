import type { SettingsDraft } from '../../../stores/session/settings-draft.ts'

interface ThinkingFieldProps {
  readonly draft: SettingsDraft
  readonly onChange: (part: Partial<SettingsDraft>) => void
}

export function ThinkingField({ draft, onChange }: ThinkingFieldProps) {
  return (
    <fieldset className="options">
      <legend className="label">Thinking</legend>
      <label>
        <input
          type="checkbox"
          checked={draft.isThinking}
          onChange={(event) => onChange({ isThinking: event.target.checked })}
        />
        <span className="option-words">The model thinks before it answers</span>
      </label>
      {draft.isThinking && (
        <label className="amount">
          <span className="grow">Tokens for it at most</span>
          <input
            className="field num"
            inputMode="numeric"
            value={draft.thinkingTokens}
            onChange={(event) => onChange({ thinkingTokens: event.target.value })}
          />
        </label>
      )}
    </fieldset>
  )
}
