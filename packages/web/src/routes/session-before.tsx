import type { SessionState } from '@quarterdeck/protocol'
import { useCallback } from 'react'
import { EarlierConversation } from '../features/transcript/earlier-conversation.tsx'
import { EventRow } from '../features/transcript/event-row.tsx'
import type { RowActs } from '../features/transcript/row-acts.ts'
import { useLoaded } from '../hooks/use-loaded.ts'
import { useWorkbench } from '../hooks/use-workbench.ts'
import { readEarlier } from '../state/earlier-story.ts'
import { EarlierAsk } from './earlier-ask.tsx'

interface SessionBeforeProps {
  readonly forkedFrom: NonNullable<SessionState['forkedFrom']>
  readonly acts: RowActs
}

/** The conversation a fork began with, read from where it happened. */
export function SessionBefore({ forkedFrom: { sessionId, seq }, acts }: SessionBeforeProps) {
  const { client } = useWorkbench()
  const { value, failure } = useLoaded(
    useCallback(() => readEarlier(client, { sessionId, seq }), [client, sessionId, seq]),
  )
  if (value !== null) {
    return (
      <EarlierConversation
        parts={value}
        acts={acts}
        renderAsk={(item, story) => <EarlierAsk item={item} story={story} />}
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
