import type { ChangeSessionBody, QuarterdeckError, SessionState } from '@quarterdeck/protocol'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { type SettingsDraft, settingsChange, settingsOf } from '../../../stores/session/settings-draft.ts'
import { LimitsFields } from './limits-fields.tsx'
import { ModeField } from './mode-field.tsx'
import { ModelField } from './model-field.tsx'
import { ThinkingField } from './thinking-field.tsx'

interface SettingsDialogProps {
  readonly session: SessionState
  readonly failure: QuarterdeckError | null
  readonly isBusy: boolean
  /** Resolves to true when it was done. */
  readonly onChange: (body: ChangeSessionBody) => Promise<boolean>
  readonly onClose: () => void
}

/** Everything of a session that can be changed while it lives; the conversation is kept. */
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
      title="Settings of this session"
      onClose={onClose}
      foot={
        <>
          <Button variant={['ink']} disabled={isBusy || 'problem' in change} onClick={() => void save()}>
            Save
          </Button>
          <Button variant={['quiet']} onClick={onClose}>
            Leave as it is
          </Button>
          {problem !== null && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
        </>
      }
    >
      <ModelField session={session} model={draft.model} onChange={(model) => put({ model })} />
      <ModeField mode={draft.permissionMode} onChange={(permissionMode) => put({ permissionMode })} />
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
