import {
  finalAnswerTool,
  isBusyStatus,
  isClosedStatus,
  type QuarterdeckError,
  type SessionState,
} from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorCard } from '../../components/status/error-card.tsx'
import { stateLabels } from '../../components/status/state-labels.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { createOutbox } from '../../stores/session/outbox.ts'
import type { SessionProjection } from '../../stores/session/session-projection.ts'
import type { SessionView } from '../../stores/session/session-store.ts'
import { useQueueActions } from './actions/use-queue-actions.ts'
import { Composer } from './composer/composer.tsx'
import { QueuedMessages } from './composer/queued-messages.tsx'
import { StatusLine } from './composer/status-line.tsx'

interface SessionFooterProps {
  readonly view: SessionView
  readonly projection: SessionProjection
}

export function SessionFooter({ view, projection }: SessionFooterProps) {
  const { client } = useWorkbench()
  const [outbox] = useState(() => createOutbox(client))
  const message = useAction()
  const { session } = projection
  const queue = useQueueActions(session.sessionId)
  if (view.failure !== null) {
    return (
      <ErrorCard
        what="This page lost its connection to the session"
        detail={view.failure.message}
        id={view.failure.code}
      />
    )
  }
  if (isClosedStatus(session.status)) {
    return <div className="status-line">{stateLabels[session.status]}. This session accepts no more messages.</div>
  }
  if (isOfAnalysis(session)) {
    return (
      <>
        <StatusLine projection={projection} />
        <div className="status-line">
          <span>The tables of this analysis are in a browser. Ask its questions on the Data page.</span>
          <Link className="link" to="/data">
            Open Data
          </Link>
        </div>
      </>
    )
  }
  return (
    <>
      <StatusLine projection={projection} />
      <QueuedMessages
        messages={session.queued}
        isRunning={session.turn !== null}
        problem={queue.problem}
        actions={queue.actions}
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

const isOfAnalysis = ({ allowedTools }: SessionState): boolean => allowedTools?.includes(finalAnswerTool) === true

/** Whether the user can write a message in the footer. */
export const hasComposer = ({ failure }: SessionView, session: SessionState): boolean =>
  failure === null && !isClosedStatus(session.status) && !isOfAnalysis(session)

/** Without a response, it is unknown whether the message arrived. */
const problemOf = (failure: QuarterdeckError): string =>
  failure.code === 'server.unreachable'
    ? 'No response: the message may have arrived. Sending the same text again is safe, it cannot arrive twice.'
    : `Not sent: ${failure.message}`
