import type { SessionState } from '@quarterdeck/protocol'
import { useCallback } from 'react'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { readEarlierSessions } from '../../../stores/session/earlier-sessions.ts'
import { EventRow } from '../transcript/event-row.tsx'
import type { RowActions } from '../transcript/row-actions.ts'
import { EarlierConversation } from './earlier-conversation.tsx'

interface ForkedConversationProps {
  readonly forkedFrom: NonNullable<SessionState['forkedFrom']>
  readonly actions: RowActions
}

/** Loads the conversation before a fork from the original sessions. */
export function ForkedConversation({ forkedFrom: { sessionId, seq }, actions }: ForkedConversationProps) {
  const { client } = useWorkbench()
  const { value, failure } = useLoaded(
    useCallback(() => readEarlierSessions(client, { sessionId, seq }), [client, sessionId, seq]),
  )
  if (value !== null) return <EarlierConversation earlierSessions={value} actions={actions} />
  return (
    <EventRow seq={null}>
      <div className="away">
        {failure === null
          ? 'Loading the conversation this session was forked from'
          : `The conversation this session was forked from could not be loaded: ${failure.message}`}
      </div>
    </EventRow>
  )
}
