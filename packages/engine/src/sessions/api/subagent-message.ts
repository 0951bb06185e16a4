// A word to one subagent. The lead hands it on: only through it does the backend wake a subagent with its own memory.
import { QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import type { EventStore } from '../../store/ports/event-store.ts'
import { readLog } from '../streaming/read-log.ts'

/** What the lead is told. Throws `subagent.not-found` for an agent this session never started. */
export async function subagentMessage(
  store: Pick<EventStore, 'read'>,
  { sessionId, agentId }: { readonly sessionId: SessionId; readonly agentId: string },
  content: string,
): Promise<string> {
  if (!(await isKnown(store, sessionId, agentId))) {
    throw new QuarterdeckError('subagent.not-found', `session ${sessionId} has no subagent ${agentId}`)
  }
  return [
    `A person has a message for your subagent ${agentId}. Call SendMessage once, with to "${agentId}" and everything`,
    'below this paragraph, word for word, as the message. Then tell what the subagent answered. Do nothing else.',
    '',
    content,
  ].join('\n')
}

async function isKnown(store: Pick<EventStore, 'read'>, sessionId: SessionId, agentId: string): Promise<boolean> {
  for await (const event of readLog(store, sessionId)) {
    if (event.type === 'SubagentStarted' && event.data.agentId === agentId) return true
  }
  return false
}
