import { isBusyStatus, isClosedStatus } from '@quarterdeck/protocol'
import { Composer } from '../features/composer/composer.tsx'
import { QueuedMessages } from '../features/composer/queued-messages.tsx'
import { StatusLine } from '../features/composer/status-line.tsx'
import { useAction } from '../hooks/use-action.ts'
import { useWorkbench } from '../hooks/use-workbench.ts'
import type { SessionView } from '../state/session-store.ts'
import type { SessionStory } from '../state/session-story.ts'
import { ErrorCard } from '../ui/error-card.tsx'
import { stateWords } from '../ui/state-words.ts'

interface SessionFootProps {
  readonly view: SessionView
  readonly story: SessionStory
}

export function SessionFoot({ view, story }: SessionFootProps) {
  const { client } = useWorkbench()
  const message = useAction()
  const { session } = story
  if (view.failure !== null) {
    return (
      <ErrorCard what="This page no longer follows the session" detail={view.failure.message} id={view.failure.code} />
    )
  }
  if (isClosedStatus(session.status)) {
    return <div className="status-line">{stateWords[session.status]}. This session takes no further message.</div>
  }
  return (
    <>
      <StatusLine session={session} transcript={story.transcript} />
      <QueuedMessages messages={session.queued} />
      <Composer
        agentName={session.agentName}
        isQueueing={isBusyStatus(session.status)}
        problem={message.failure?.message ?? null}
        onSend={(content) => message.run(() => client.sendMessage(session.sessionId, { content }))}
      />
    </>
  )
}
