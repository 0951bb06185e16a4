export interface Rewound {
  readonly conversation: boolean
  readonly files: boolean
}

interface RewindChoiceProps {
  readonly choice: Rewound
  readonly onChange: (choice: Rewound) => void
}

export function RewindChoice({ choice, onChange }: RewindChoiceProps) {
  return (
    <fieldset className="options">
      <legend className="label">Take back</legend>
      <label>
        <input
          type="checkbox"
          checked={choice.conversation}
          onChange={(event) => onChange({ ...choice, conversation: event.target.checked })}
        />
        <span className="option-words">
          The conversation
          <small>the agent forgets this message and all after it; the log keeps them</small>
        </span>
      </label>
      <label>
        <input
          type="checkbox"
          checked={choice.files}
          onChange={(event) => onChange({ ...choice, files: event.target.checked })}
        />
        <span className="option-words">
          Files the agent’s tools changed since
          <small>as listed below, and no others</small>
        </span>
      </label>
    </fieldset>
  )
}
