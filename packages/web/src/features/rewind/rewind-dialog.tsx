import { isBusyStatus, type SessionState, type UserItem, UserMessageId, visibleText } from '@quarterdeck/protocol'
import { useCallback, useState } from 'react'
import { useAction } from '../../hooks/use-action.ts'
import { useLoaded } from '../../hooks/use-loaded.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
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
  const [conversation, setConversation] = useState(true)
  const [files, setFiles] = useState(true)
  const [isDone, setDone] = useState(false)
  const [done, setReport] = useState<Awaited<ReturnType<typeof client.rewind>> | null>(null)
  const rewind = useAction()
  const isBusy = isBusyStatus(session.status)
  const look = useLoaded(
    useCallback(
      // While a turn runs the answer would be out of date when it comes.
      async () => (isBusy ? null : client.rewind(sessionId, { messageId, dryRun: true })),
      [client, sessionId, messageId, isBusy],
    ),
  )

  async function go(): Promise<void> {
    const body = { messageId, conversation, files }
    setDone(await rewind.run(async () => setReport(await client.rewind(sessionId, body))))
  }

  if (isDone && done !== null) {
    return (
      <Dialog title="Back to before this message" onClose={onClose} foot={<Button onClick={onClose}>Close</Button>}>
        {done.conversation && <p>The agent has forgotten this message and everything after it. The log has not.</p>}
        {done.files !== null && <RewindFiles files={done.files} tense="done" />}
      </Dialog>
    )
  }
  return (
    <Dialog
      title="Rewind to before this message"
      onClose={onClose}
      foot={
        <>
          <Button
            look={['danger']}
            disabled={isBusy || rewind.isBusy || look.value === null || !(conversation || files)}
            onClick={() => void go()}
          >
            {rewind.isBusy ? 'Rewinding…' : 'Rewind'}
          </Button>
          <Button look={['quiet']} onClick={onClose}>
            Leave as it is
          </Button>
          {rewind.failure !== null && (
            <p className="problem" role="alert">
              {rewind.failure.message}
            </p>
          )}
        </>
      }
    >
      <blockquote className="quoted">{visibleText(item.content)}</blockquote>
      {isBusy && <p className="problem">A turn is under way: stop it first, then go back.</p>}
      <fieldset className="options">
        <legend className="label">Take back</legend>
        <label>
          <input type="checkbox" checked={conversation} onChange={(event) => setConversation(event.target.checked)} />
          <span className="option-words">
            The conversation
            <small>the agent forgets this message and all after it; the log keeps them</small>
          </span>
        </label>
        <label>
          <input type="checkbox" checked={files} onChange={(event) => setFiles(event.target.checked)} />
          <span className="option-words">
            Files the agent’s tools changed since
            <small>as listed below, and no others</small>
          </span>
        </label>
      </fieldset>
      {look.failure !== null && (
        <p className="problem" role="alert">
          {look.failure.message}
        </p>
      )}
      {!isBusy && look.value === null && look.failure === null && <p className="muted">Looking what would change…</p>}
      {files && look.value !== null && look.value.files !== null && (
        <RewindFiles files={look.value.files} tense="would" />
      )}
    </Dialog>
  )
}
