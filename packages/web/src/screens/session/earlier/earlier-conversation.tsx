import type { SessionState } from '@quarterdeck/protocol'
import { useCallback } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { readEarlierSessions } from '../../../stores/session/earlier-sessions.ts'
import { NoteRow } from '../transcript/note-row.tsx'
import type { RowActions } from '../transcript/row-actions.ts'
import { EarlierSessionRows } from './earlier-session-rows.tsx'

interface EarlierConversationProps {
  readonly forkedFrom: NonNullable<SessionState['forkedFrom']>
  readonly actions: RowActions
}

/** The conversation before a fork: dimmed, read only, with links to the original sessions, from which it is loaded. */
export function EarlierConversation({ forkedFrom: { sessionId, seq }, actions }: EarlierConversationProps) {
  const { client } = useWorkbench()
  const { value, failure, again } = useLoaded(
    useCallback(() => readEarlierSessions(client, { sessionId, seq }), [client, sessionId, seq]),
  )
  if (value !== null) {
    return value.map((earlierSession) => (
      <EarlierSessionRows key={earlierSession.sessionId} earlierSession={earlierSession} actions={actions} />
    ))
  }
  if (failure === null) return <NoteRow role="status">Loading the conversation this session was forked from</NoteRow>
  return (
    <NoteRow role="alert">
      The conversation this session was forked from could not be loaded: {failure.message}
      <Button variant={['s']} onClick={again}>
        Try again
      </Button>
    </NoteRow>
  )
}
