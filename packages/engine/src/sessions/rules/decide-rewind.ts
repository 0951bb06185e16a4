// What a rewind keeps and what it loses: asks, answers, grants and queued messages.
import { draft, type EventDraft, openAsks, type RewindConversation, type SessionState } from '@quarterdeck/protocol'
import { expireAll, moveTo, waitingStatus } from './status-drafts.ts'
import { wake } from './wake-message.ts'

/** Expires the asks of the forgotten part and drops their answers. People's queued messages and a pause stay. */
export function rewindConversation(state: SessionState, command: RewindConversation): readonly EventDraft[] {
  const { messageId, backendSessionId, by, seq, unsaved = [], wakeMessageId } = command
  const isForgotten = (ask: { readonly seq?: number | undefined }) => ask.seq === undefined || ask.seq >= seq
  const isKnown = (ask: { readonly seq?: number | undefined }) => !isForgotten(ask)
  const asks = openAsks(state)
  const left = asks.filter(({ request }) => isKnown(request))
  // The engine's own messages are about forgotten work. Anything else in them is reported again.
  const overtaken = state.queued.filter(({ origin }) => origin === 'engine')
  const woken = left.length > 0 ? [] : wake(state.unreported.filter(isKnown), wakeMessageId)
  const drafts = [
    ...expireAll(asks.filter(({ request }) => isForgotten(request))),
    ...state.grants.filter(isForgotten).map(({ approvalId }) => draft('ApprovalUnused', { approvalId })),
    ...overtaken.map((message) => draft('UserMessageCancelled', { messageId: message.messageId, by: 'quarterdeck' })),
    draft('AgentSessionRewound', {
      messageId,
      backendSessionId,
      fromSeq: seq,
      ...(unsaved.length === 0 ? {} : { unsaved: [...unsaved] }),
      by,
    }),
    ...woken,
  ]
  const hasMore = state.queued.length - overtaken.length + woken.length > 0
  if (state.status === 'paused' || (state.status === 'queued' && hasMore)) return drafts
  const next = waitingStatus(left) ?? (hasMore ? 'queued' : 'idle')
  return next === state.status ? drafts : [...drafts, moveTo(state, next)]
}
