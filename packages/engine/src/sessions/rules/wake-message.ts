import { draft, type EventDraft, type Unreported, type UserMessageId } from '@quarterdeck/protocol'
import { mayHaveRun } from './ask-kinds/approval.ts'
import { strategyOfReport } from './ask-kinds/ask-strategies.ts'

/** One message for everything that was decided without the agent; none if there is nothing. */
export function wake(unreported: readonly Unreported[], messageId: UserMessageId): readonly EventDraft[] {
  if (unreported.length === 0) return []
  const content = wakeMessage(unreported)
  return [draft('UserMessageQueued', { messageId, content, origin: 'engine', by: 'quarterdeck' })]
}

/** The text for an agent that wakes to answers it has missed. */
function wakeMessage(unreported: readonly Unreported[]): string {
  const stopped = unreported.filter(mayHaveRun)
  const settled = unreported.filter((one) => !mayHaveRun(one))
  const hasDecisions = settled.some(({ type }) => type === 'decision')
  return [
    'The session was interrupted while requests were open. They have been answered, or have expired.',
    ...(hasDecisions ? ['None of the approved or denied calls has run.'] : []),
    ...settled.map(wakeLine),
    ...(stopped.length > 0
      ? ['No person refused these calls: they were stopped with the turn, perhaps in the middle.']
      : []),
    ...stopped.map(wakeLine),
    ...(stopped.length > 0
      ? ['Find out first whether they have run. If one has not, issue it again: it is asked for again.']
      : []),
    hasDecisions
      ? 'Issue each approved call again, exactly as it stands, then go on with the task.'
      : 'Go on with the task from here.',
  ].join('\n')
}

const wakeLine = (report: Unreported): string => strategyOfReport(report).wakeLine(report)
