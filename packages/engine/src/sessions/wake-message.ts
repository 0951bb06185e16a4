import {
  draft,
  type EventDraft,
  formatApprovedCall,
  formatDeniedCall,
  type Untold,
  type UntoldDecision,
  type UserMessageId,
} from '@quarterdeck/protocol'

/** One message for everything that was decided without the agent; none where nothing was. */
export function wake(untold: readonly Untold[], messageId: UserMessageId): readonly EventDraft[] {
  const decisions = untold.filter((one) => one.type === 'decision')
  if (decisions.length === 0) return []
  const content = wakeMessage(decisions)
  return [draft('UserMessageQueued', { messageId, content, origin: 'engine', by: 'quarterdeck' })]
}

/** What the agent is told when it wakes to decisions it was not there to hear. */
function wakeMessage(decisions: readonly UntoldDecision[]): string {
  const lines = decisions.map(({ isAllowed, toolName, toolInput, note }) =>
    isAllowed ? formatApprovedCall(toolName, toolInput) + noteLine(note) : formatDeniedCall(toolName, toolInput, note),
  )
  return [
    'The session was interrupted while tool calls waited for a person. They have been decided now; none of them has run.',
    ...lines,
    'Issue each approved call again, exactly as it stands, then go on with the task.',
  ].join('\n')
}

const noteLine = (note: string | null): string => (note === null ? '' : `\nNote from the person: ${note}`)
