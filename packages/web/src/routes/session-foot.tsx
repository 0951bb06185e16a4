import { finalAnswerTool, isBusyStatus, isClosedStatus, type QuarterdeckError } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Composer } from '../features/composer/composer.tsx'
import { QueuedMessages } from '../features/composer/queued-messages.tsx'
import { StatusLine } from '../features/composer/status-line.tsx'
import { useAction } from '../hooks/use-action.ts'
import { useQueueActs } from '../hooks/use-queue-acts.ts'
import { useWorkbench } from '../hooks/use-workbench.ts'
import { createOutbox } from '../state/outbox.ts'
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
  const [outbox] = useState(() => createOutbox(client))
  const message = useAction()
  const { session } = story
  const queue = useQueueActs(session.sessionId)
  if (view.failure !== null) {
    return (
      <ErrorCard what="This page no longer follows the session" detail={view.failure.message} id={view.failure.code} />
    )
  }
  if (isClosedStatus(session.status)) {
    return <div className="status-line">{stateWords[session.status]}. This session takes no further message.</div>
  }
  if (session.allowedTools?.includes(finalAnswerTool) === true) {
    return (
      <>
        <StatusLine story={story} />
        <div className="status-line">
          <span>The tables of this analysis are in a browser: its questions are asked there.</span>
          <Link className="link" to="/data">
            Open Data
          </Link>
        </div>
      </>
    )
  }
  return (
    <>
      <StatusLine story={story} />
      <QueuedMessages
        messages={session.queued}
        isRunning={session.turn !== null}
        problem={queue.problem}
        acts={queue.acts}
      />
      <Composer
        agentName={session.agentName}
        isQueueing={isBusyStatus(session.status)}
        problem={message.failure === null ? null : problemOf(message.failure)}
        onSend={(content, delivery) => message.run(() => outbox.sendMessage(session.sessionId, { content, delivery }))}
      />
    </>
  )
}

/** Without an answer nobody knows whether it arrived. */
const problemOf = (failure: QuarterdeckError): string =>
  failure.code === 'server.unreachable'
    ? 'No answer, so it may have arrived or not. The same text sent again cannot arrive twice.'
    : `Not sent: ${failure.message}`
