import type { SessionState } from '@quarterdeck/protocol'
import { useCallback } from 'react'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { readEarlierSessions } from '../../../stores/session/earlier-sessions.ts'
import { EventRow } from '../transcript/event-row.tsx'
import type { RowActions } from '../transcript/row-actions.ts'
import { EarlierAsk } from './earlier-ask.tsx'
import { EarlierConversation } from './earlier-conversation.tsx'

interface ForkedConversationProps {
  readonly forkedFrom: NonNullable<SessionState['forkedFrom']>
  readonly actions: RowActions
}

/** The conversation a fork began with, read from where it happened. */
export function ForkedConversation({ forkedFrom: { sessionId, seq }, actions }: ForkedConversationProps) {
  const { client } = useWorkbench()
  const { value, failure } = useLoaded(
    useCallback(() => readEarlierSessions(client, { sessionId, seq }), [client, sessionId, seq]),
  )
  if (value !== null) {
    return (
      <EarlierConversation
        earlierSessions={value}
        actions={actions}
        renderAsk={(item, projection) => <EarlierAsk item={item} projection={projection} />}
      />
    )
  }
  return (
    <EventRow seq={null}>
      <div className="away">
        {failure === null
          ? 'Reading the conversation this session was forked from'
          : `The conversation this session was forked from could not be read: ${failure.message}`}
      </div>
    </EventRow>
  )
}
