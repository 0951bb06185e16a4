// What people say to a session and what it asks of them, for whoever only watches: with the command that answers.
import {
  type EventOfType,
  isDurable,
  type SessionEvent,
  type SessionState,
  type StreamedEvent,
  visibleText,
} from '@quarterdeck/protocol'
import { approvalLines, itemLines, questionHead, wishLines } from './asked-lines.ts'
import type { Palette } from './palette.ts'

export interface PeopleLinesOptions {
  readonly palette: Palette
  /** As it is when the watching begins. */
  readonly session: Pick<SessionState, 'cwd' | 'seq' | 'queued' | 'approvals' | 'questions'>
}

/** Empty for an event that is about nobody. */
export function createPeopleLines({ palette, session }: PeopleLinesOptions) {
  const messages = new Map(
    session.queued.map(({ messageId, content, by, origin }) => [messageId, { content, by, origin }]),
  )
  const openThen = new Set<string>([
    ...session.approvals.map(({ approvalId }) => approvalId),
    ...session.questions.map(({ questionId }) => questionId),
  ])
  /** How to answer is of no use where somebody has. */
  const hint = ({ seq }: SessionEvent, id: string, ...ways: readonly string[]): readonly string[] =>
    seq <= session.seq && !openThen.has(id) ? [] : ways.map((way) => palette.dim(`  ${way}`))

  function delivered({ data }: EventOfType<'UserMessageDelivered'>): readonly string[] {
    const message = messages.get(data.messageId)
    messages.delete(data.messageId)
    if (message === undefined || message.origin === 'engine') return []
    return [palette.bold(`${visibleText(message.by)}:`), ...visibleText(message.content).split('\n')].map(
      (line, index) => (index === 0 ? line : `  ${line}`),
    )
  }

  function asked(event: EventOfType<'QuestionAsked'>): readonly string[] {
    const { questionId, items, source } = event.data
    const way = source === 'agent' && items.length === 1 ? 'ANSWER' : "--answers '{…}'"
    return [
      questionHead(event.data, palette),
      ...wishLines(event.data),
      ...items.flatMap(itemLines),
      ...hint(event, questionId, `quarterdeck sessions answer ${questionId} ${way}`),
    ]
  }

  return (event: StreamedEvent): readonly string[] => {
    if (!isDurable(event)) return []
    switch (event.type) {
      case 'UserMessageQueued':
        messages.set(event.data.messageId, event.data)
        return []
      case 'UserMessageEdited': {
        const message = messages.get(event.data.messageId)
        if (message !== undefined) messages.set(event.data.messageId, { ...message, content: event.data.content })
        return []
      }
      case 'UserMessageDelivered':
        return delivered(event)
      case 'ApprovalRequested': {
        const { approvalId } = event.data
        const way = `quarterdeck sessions approve ${approvalId}`
        return [
          ...approvalLines(event.data, { palette, cwd: session.cwd }),
          ...hint(event, approvalId, `${way}   (or with --deny, --always, --input)`),
        ]
      }
      case 'ApprovalDecided':
        return [`  ${event.data.decision === 'deny' ? 'denied' : 'allowed'} by ${withNote(event.data)}`]
      case 'ApprovalExpired':
        return [palette.dim(`  ${event.data.approvalId} lapsed: nobody decided`)]
      case 'QuestionAsked':
        return asked(event)
      case 'QuestionAnswered': {
        const { answers } = event.data
        const what = answers === null ? 'declined' : `answered ${visibleText(JSON.stringify(answers))}`
        return [`  ${what} by ${withNote(event.data)}`]
      }
      case 'QuestionExpired':
        return [palette.dim(`  ${event.data.questionId} lapsed: nobody answered`)]
      default:
        return []
    }
  }
}

const withNote = ({ by, note }: { readonly by: string; readonly note: string | null }): string =>
  visibleText(note === null ? by : `${by}: ${note}`)
