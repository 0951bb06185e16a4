import { PermissionMode } from '@quarterdeck/protocol'
import { useId } from 'react'
import { modeLabels } from '../../../components/status/mode-labels.ts'

interface ModeFieldProps {
  readonly mode: PermissionMode
  readonly onChange: (mode: PermissionMode) => void
}

export function ModeField({ mode, onChange }: ModeFieldProps) {
  const name = useId()
  return (
    <fieldset className="options">
      <legend className="label">Permissions</legend>
      {PermissionMode.options.map((one) => (
        <label key={one}>
          <input type="radio" name={name} checked={one === mode} onChange={() => onChange(one)} />
          <span className="option-words">
            {modeLabels[one]}
            <small className="mono">{one}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
