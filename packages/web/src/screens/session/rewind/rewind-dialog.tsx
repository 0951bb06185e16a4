import {
  isBusyStatus,
  type RewindReport,
  type SessionState,
  type UserItem,
  UserMessageId,
  visibleText,
} from '@quarterdeck/protocol'
import { useCallback, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { OptionRow } from '../../../components/controls/option-row.tsx'
import { Problem } from '../../../components/controls/problem.tsx'
import { useAction } from '../../../hooks/use-action.ts'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { RewindFiles } from './rewind-files.tsx'

interface RewindDialogProps {
  readonly session: SessionState
  readonly item: UserItem
  readonly onClose: () => void
}

/** Shows a preview of the rewind, then its exact result. */
export function RewindDialog({ session, item, onClose }: RewindDialogProps) {
  const { client } = useWorkbench()
  const { sessionId } = session
  const messageId = UserMessageId.parse(item.key)
  const [choice, setChoice] = useState<Choice>({ conversation: true, files: true })
  const [report, setReport] = useState<RewindReport | null>(null)
  const rewind = useAction()
  const isBusy = isBusyStatus(session.status)
  const preview = useLoaded(
    useCallback(
      // While a turn runs, the preview would be outdated on arrival.
      async () => (isBusy ? null : client.rewind(sessionId, { messageId, dryRun: true })),
      [client, sessionId, messageId, isBusy],
    ),
  )
  const go = () => void rewind.run(async () => setReport(await client.rewind(sessionId, { messageId, ...choice })))

  if (report !== null) return <RewoundDialog report={report} onClose={onClose} />
  const canGo = !isBusy && !rewind.isBusy && preview.value !== null && (choice.conversation || choice.files)
  const failure = rewind.failure ?? preview.failure
  return (
    <Dialog
      title="Rewind to before this message"
      onClose={onClose}
      foot={
        <Button variant={['danger']} disabled={!canGo} onClick={go}>
          {rewind.isBusy ? 'Rewinding…' : 'Rewind'}
        </Button>
      }
    >
      <blockquote className="quoted">{visibleText(item.content)}</blockquote>
      <RewindChoice choice={choice} onChange={setChoice} />
      {isBusy && <p className="problem">A turn is running. Stop it before you rewind.</p>}
      <Problem text={failure?.message} />
      {!isBusy && preview.value === null && preview.failure === null && <p className="muted">Loading the preview…</p>}
      {choice.files && preview.value?.files != null && <RewindFiles files={preview.value.files} tense="would" />}
    </Dialog>
  )
}

interface Choice {
  readonly conversation: boolean
  readonly files: boolean
}

function RewindChoice({ choice, onChange }: { readonly choice: Choice; readonly onChange: (choice: Choice) => void }) {
  return (
    <fieldset className="options">
      <legend className="label">Undo</legend>
      <OptionRow
        type="checkbox"
        checked={choice.conversation}
        onChange={(conversation) => onChange({ ...choice, conversation })}
      >
        The conversation
        <small>The agent forgets this message and everything after it. The log keeps them.</small>
      </OptionRow>
      <OptionRow type="checkbox" checked={choice.files} onChange={(files) => onChange({ ...choice, files })}>
        Files the agent’s tools changed since then
        <small>Only the files listed below</small>
      </OptionRow>
    </fieldset>
  )
}

interface RewoundDialogProps {
  readonly report: RewindReport
  readonly onClose: () => void
}

function RewoundDialog({ report: { conversation, files }, onClose }: RewoundDialogProps) {
  return (
    <Dialog
      title="Rewound to before this message"
      onClose={onClose}
      foot={<Button onClick={onClose}>Close</Button>}
      cancel={null}
    >
      {conversation && <p>The agent has forgotten this message and everything after it. The log still has them.</p>}
      {files !== null && <RewindFiles files={files} tense="done" />}
    </Dialog>
  )
}
