import {
  assertNever,
  draft,
  type EventDraft,
  formatAnswer,
  formatApprovedCall,
  formatDeniedCall,
  formatResult,
  formatStoppedCall,
  type Unreported,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { clientToolName } from '../../tool-names/client-tool-names.ts'

/** One message for everything that was decided without the agent; none if there is nothing. */
export function wake(unreported: readonly Unreported[], messageId: UserMessageId): readonly EventDraft[] {
  if (unreported.length === 0) return []
  const content = wakeMessage(unreported)
  return [draft('UserMessageQueued', { messageId, content, origin: 'engine', by: 'quarterdeck' })]
}

/** The text for an agent that wakes to answers it has missed. */
function wakeMessage(unreported: readonly Unreported[]): string {
  const stopped = unreported.filter(isStopped)
  const settled = unreported.filter((one) => !isStopped(one))
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

const isStopped = (unreported: Unreported): boolean => unreported.type === 'decision' && unreported.mayHaveRun === true

function wakeLine(unreported: Unreported): string {
  switch (unreported.type) {
    case 'decision': {
      const { isAllowed, toolName, toolInput, note } = unreported
      if (!isAllowed) return formatDeniedCall(toolName, toolInput, note)
      const format = isStopped(unreported) ? formatStoppedCall : formatApprovedCall
      return format(toolName, toolInput) + noteLine(note)
    }
    case 'answer': {
      const { items, message, answers, note } = unreported
      const questions = items.length === 0 ? [message] : items.map(({ question }) => question)
      return formatAnswer({ questions, answers, note })
    }
    case 'result': {
      const { toolName, toolInput, output, isError } = unreported
      return formatResult({ tool: clientToolName(toolName), input: toolInput, output, isError })
    }
    default:
      return assertNever(unreported)
  }
}

const noteLine = (note: string | null): string => (note === null ? '' : `\nNote from the person: ${note}`)
