import {
  assertNever,
  draft,
  type EventDraft,
  formatAnswer,
  formatApprovedCall,
  formatDeniedCall,
  formatResult,
  formatStoppedCall,
  type Untold,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { clientToolName } from '../client-tool.ts'

/** One message for everything that was decided without the agent; none where nothing was. */
export function wake(untold: readonly Untold[], messageId: UserMessageId): readonly EventDraft[] {
  if (untold.length === 0) return []
  const content = wakeMessage(untold)
  return [draft('UserMessageQueued', { messageId, content, origin: 'engine', by: 'quarterdeck' })]
}

/** What the agent is told when it wakes to what it was not there to hear. */
function wakeMessage(untold: readonly Untold[]): string {
  const stopped = untold.filter(isStopped)
  const settled = untold.filter((one) => !isStopped(one))
  const hasDecisions = settled.some(({ type }) => type === 'decision')
  return [
    'The session was interrupted while it waited for somebody. What it waited for has been settled now.',
    ...(hasDecisions ? ['None of the approved or denied calls has run.'] : []),
    ...settled.map(wakeLine),
    ...(stopped.length > 0
      ? ['Nobody refused these calls: they were stopped with the turn, perhaps in the middle.']
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

const isStopped = (untold: Untold): boolean => untold.type === 'decision' && untold.mayHaveRun === true

function wakeLine(untold: Untold): string {
  switch (untold.type) {
    case 'decision': {
      const { isAllowed, toolName, toolInput, note } = untold
      if (!isAllowed) return formatDeniedCall(toolName, toolInput, note)
      const format = isStopped(untold) ? formatStoppedCall : formatApprovedCall
      return format(toolName, toolInput) + noteLine(note)
    }
    case 'answer': {
      const { items, message, answers, note } = untold
      const questions = items.length === 0 ? [message] : items.map(({ question }) => question)
      return formatAnswer({ questions, answers, note })
    }
    case 'result': {
      const { toolName, toolInput, output, isError } = untold
      return formatResult({ tool: clientToolName(toolName), input: toolInput, output, isError })
    }
    default:
      return assertNever(untold)
  }
}

const noteLine = (note: string | null): string => (note === null ? '' : `\nNote from the person: ${note}`)
