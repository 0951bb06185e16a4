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
import { useAction } from '../../../hooks/use-action.ts'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { RewindChoice, type Rewound } from './rewind-choice.tsx'
import { RewindFiles } from './rewind-files.tsx'

interface RewindDialogProps {
  readonly session: SessionState
  readonly item: UserItem
  readonly onClose: () => void
}

/** What going back would do, before it is done; then exactly what was done. */
export function RewindDialog({ session, item, onClose }: RewindDialogProps) {
  const { client } = useWorkbench()
  const { sessionId } = session
  const messageId = UserMessageId.parse(item.key)
  const [choice, setChoice] = useState<Rewound>({ conversation: true, files: true })
  const [report, setReport] = useState<RewindReport | null>(null)
  const rewind = useAction()
  const isBusy = isBusyStatus(session.status)
  const variant = useLoaded(
    useCallback(
      // While a turn runs the answer would be out of date when it comes.
      async () => (isBusy ? null : client.rewind(sessionId, { messageId, dryRun: true })),
      [client, sessionId, messageId, isBusy],
    ),
  )
  const go = () => void rewind.run(async () => setReport(await client.rewind(sessionId, { messageId, ...choice })))

  if (report !== null) return <RewoundDialog report={report} onClose={onClose} />
  const canGo = !isBusy && !rewind.isBusy && variant.value !== null && (choice.conversation || choice.files)
  const failure = rewind.failure ?? variant.failure
  return (
    <Dialog
      title="Rewind to before this message"
      onClose={onClose}
      foot={
        <>
          <Button variant={['danger']} disabled={!canGo} onClick={go}>
            {rewind.isBusy ? 'Rewinding…' : 'Rewind'}
          </Button>
          <Button variant={['quiet']} onClick={onClose}>
            Leave as it is
          </Button>
        </>
      }
    >
      <blockquote className="quoted">{visibleText(item.content)}</blockquote>
      <RewindChoice choice={choice} onChange={setChoice} />
      {isBusy && <p className="problem">A turn is under way: stop it first, then go back.</p>}
      {failure !== null && (
        <p className="problem" role="alert">
          {failure.message}
        </p>
      )}
      {!isBusy && variant.value === null && variant.failure === null && (
        <p className="muted">Looking what would change…</p>
      )}
      {choice.files && variant.value?.files != null && <RewindFiles files={variant.value.files} tense="would" />}
    </Dialog>
  )
}

interface RewoundDialogProps {
  readonly report: RewindReport
  readonly onClose: () => void
}

function RewoundDialog({ report: { conversation, files }, onClose }: RewoundDialogProps) {
  return (
    <Dialog title="Back to before this message" onClose={onClose} foot={<Button onClick={onClose}>Close</Button>}>
      {conversation && <p>The agent has forgotten this message and everything after it. The log has not.</p>}
      {files !== null && <RewindFiles files={files} tense="done" />}
    </Dialog>
  )
}
