// Messages, approvals and questions for a reader who only watches: with the command that answers.
import {
  actorOf,
  isDurable,
  type SessionEvent,
  type SessionState,
  type SessionStatus,
  type StreamedEvent,
  visibleText,
} from '@quarterdeck/protocol'
import { approvalLines, itemLines, questionHead, serverRequestLines } from './asked-lines.ts'
import type { Palette } from './palette.ts'

export interface PeopleLinesOptions {
  readonly palette: Palette
  /** How the reader runs a command. */
  readonly commandFor: (command: string) => string
  /** The session when watching begins. */
  readonly session: Pick<SessionState, 'cwd' | 'seq' | 'queued' | 'approvals' | 'questions'>
  /** Whether to print the id of each message and the number of its event, which `rewind` and `fork` need. */
  readonly hasIds?: boolean
}

/** The lines of an event; none for an event that involves no person. */
type LinesOf<E> = (event: E) => readonly string[]

export function createPeopleLines(options: PeopleLinesOptions): LinesOf<StreamedEvent> {
  const parts = [
    createMessageLines(options),
    createAskedLines(options),
    settledLines(options.palette),
    controlLines(options.palette),
  ]
  return (event) => (isDurable(event) ? parts.flatMap((linesOf) => linesOf(event)) : [])
}

interface PendingMessage extends Pick<SessionState['queued'][number], 'content' | 'by' | 'origin'> {
  readonly images: number
}

/** Messages of people, when the agent gets them. */
function createMessageLines({ palette, session, hasIds }: PeopleLinesOptions): LinesOf<SessionEvent> {
  const waiting = new Map<string, PendingMessage>(
    session.queued.map((message) => [message.messageId, { ...message, images: message.images?.count ?? 0 }]),
  )
  return ({ type, data, seq }) => {
    if (type === 'UserMessageQueued') waiting.set(data.messageId, { ...data, images: data.images?.length ?? 0 })
    if (type !== 'UserMessageEdited' && type !== 'UserMessageDelivered') return []
    const message = waiting.get(data.messageId)
    if (message === undefined) return []
    if (type === 'UserMessageEdited') waiting.set(data.messageId, { ...message, content: data.content })
    if (type === 'UserMessageEdited' || message.origin === 'engine') return []
    const lines = visibleText(message.content).split('\n')
    const images = imagesLine(message.images).map(palette.dim)
    const ids = hasIds === true ? palette.dim(`  ${data.messageId}, event ${seq}`) : ''
    return [palette.bold(`${visibleText(message.by)}:`) + ids, ...[...lines, ...images].map((line) => `  ${line}`)]
  }
}

export const imagesLine = (count: number): readonly string[] =>
  count === 0 ? [] : [count === 1 ? '(with an image)' : `(with ${count} images)`]

function createAskedLines({ palette, commandFor, session }: PeopleLinesOptions): LinesOf<SessionEvent> {
  const openThen = new Set<string>([
    ...session.approvals.map(({ approvalId }) => approvalId),
    ...session.questions.map(({ questionId }) => questionId),
  ])
  /** The command is omitted once the ask is decided. */
  const hint = ({ seq }: SessionEvent, id: string, way: string): readonly string[] =>
    seq <= session.seq && !openThen.has(id) ? [] : [palette.dim(`  ${way}`)]

  return (event) => {
    if (event.type === 'ApprovalRequested') {
      const { approvalId } = event.data
      return [
        ...approvalLines(event.data, { palette, cwd: session.cwd }),
        ...hint(
          event,
          approvalId,
          `${commandFor(`sessions approve ${approvalId}`)}   (or with --deny, --always, --input)`,
        ),
      ]
    }
    if (event.type !== 'QuestionAsked') return []
    const { questionId, items, source } = event.data
    const way = source === 'agent' && items.length === 1 ? 'ANSWER' : "--answers '{…}'"
    return [
      questionHead(event.data, palette),
      ...serverRequestLines(event.data),
      ...items.flatMap(itemLines),
      ...hint(event, questionId, commandFor(`sessions answer ${questionId} ${way}`)),
    ]
  }
}

const settledLines =
  (palette: Palette): LinesOf<SessionEvent> =>
  ({ type, data }) => {
    switch (type) {
      case 'ApprovalDecided':
        return [`  ${data.decision === 'deny' ? 'denied' : 'allowed'} by ${withNote(data)}`]
      case 'ApprovalExpired':
        return [palette.dim(`  ${data.approvalId} expired without a decision`)]
      case 'QuestionAnswered': {
        const what = data.answers === null ? 'declined' : `answered ${visibleText(JSON.stringify(data.answers))}`
        return [`  ${what} by ${withNote(data)}`]
      }
      case 'QuestionExpired':
        return [palette.dim(`  ${data.questionId} expired without an answer`)]
      default:
        return []
    }
  }

/** Words for a status that a person sets; `paused` only without a running turn. */
const controls: Partial<Record<SessionStatus, string>> = {
  pausing: 'paused',
  paused: 'paused',
  resuming: 'resumed',
  cancelling: 'cancelled',
  interrupting: 'interrupted',
}

const controlLines =
  (palette: Palette): LinesOf<SessionEvent> =>
  ({ type, data }) => {
    if (type !== 'AgentSessionStatusChanged') return []
    const [by, done] = [actorOf(data.reason), controls[data.to]]
    return by === null || done === undefined ? [] : [palette.dim(`  ${done} by ${visibleText(by)}`)]
  }

const withNote = ({ by, note }: { readonly by: string; readonly note: string | null }): string =>
  visibleText(note === null ? by : `${by}: ${note}`)
