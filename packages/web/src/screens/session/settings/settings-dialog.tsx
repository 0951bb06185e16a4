import {
  type ChangeSessionBody,
  formatDuration,
  formatSpent,
  PermissionMode,
  type QuarterdeckError,
  type SessionState,
} from '@quarterdeck/protocol'
import { useId, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { OptionRow } from '../../../components/controls/option-row.tsx'
import { modeLabels } from '../../../components/status/mode-labels.ts'
import { type SettingsDraft, settingsChange, settingsOf } from '../../../stores/session/settings-draft.ts'
import { ModelField } from './model-field.tsx'

/** Props shared by the dialogs that change a session. */
export interface DialogState {
  readonly failure: QuarterdeckError | null
  readonly isBusy: boolean
  readonly onClose: () => void
}

interface SettingsDialogProps extends DialogState {
  readonly session: SessionState
  /** Resolves to true on success. */
  readonly onChange: (body: ChangeSessionBody) => Promise<boolean>
}

/** All settings that can change while a session is open. The conversation does not change. */
export function SettingsDialog({ session, failure, isBusy, onChange, onClose }: SettingsDialogProps) {
  const [before] = useState(() => settingsOf(session))
  const [draft, setDraft] = useState(before)
  const [isTried, setTried] = useState(false)
  const change = settingsChange(before, draft)
  const put = (part: Partial<SettingsDraft>) => setDraft({ ...draft, ...part })

  async function save(): Promise<void> {
    if ('problem' in change) return
    if (change.body === null) return onClose()
    setTried(true)
    if (await onChange(change.body)) onClose()
  }

  const problem = 'problem' in change ? change.problem : isTried && failure !== null ? failure.message : null
  return (
    <Dialog
      title="Session settings"
      onClose={onClose}
      foot={
        <Button variant={['primary']} disabled={isBusy || 'problem' in change} onClick={() => void save()}>
          Save
        </Button>
      }
      problem={problem}
    >
      <ModelField session={session} model={draft.model} onChange={(model) => put({ model })} />
      <ModeField draft={draft} onChange={put} />
      <ThinkingField draft={draft} onChange={put} />
      <LimitsFields session={session} draft={draft} onChange={put} />
      <label className="stack">
        <span className="label">Tags</span>
        <input
          className="field"
          value={draft.tags}
          placeholder="separated by commas"
          onChange={(event) => put({ tags: event.target.value })}
        />
      </label>
    </Dialog>
  )
}

interface FieldProps {
  readonly draft: SettingsDraft
  readonly onChange: (change: Partial<SettingsDraft>) => void
}

function ModeField({ draft, onChange }: FieldProps) {
  const name = useId()
  return (
    <fieldset className="options">
      <legend className="label">Permissions</legend>
      {PermissionMode.options.map((one) => (
        <OptionRow
          key={one}
          type="radio"
          name={name}
          checked={one === draft.permissionMode}
          onChange={() => onChange({ permissionMode: one })}
        >
          {modeLabels[one]}
          <small className="mono">{one}</small>
        </OptionRow>
      ))}
    </fieldset>
  )
}

function ThinkingField({ draft, onChange }: FieldProps) {
  return (
    <fieldset className="options">
      <legend className="label">Thinking</legend>
      <OptionRow type="checkbox" checked={draft.isThinking} onChange={(isThinking) => onChange({ isThinking })}>
        The model thinks before it answers
      </OptionRow>
      {draft.isThinking && (
        <label className="amount">
          <span className="grow">Maximum thinking tokens</span>
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

interface LimitsFieldsProps extends FieldProps {
  readonly session: SessionState
}

/** Each limit with its current use, so that users do not set one that is already exceeded. */
function LimitsFields({ session, draft, onChange }: LimitsFieldsProps) {
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
