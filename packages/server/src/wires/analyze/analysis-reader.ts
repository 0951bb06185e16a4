// A session's log as the stream of an analysis. Everything is told from the log alone, so that whoever comes back with a
// cursor, also to another process, is told the rest and nothing twice.
import {
  type AnalysisCursor,
  type AnalysisEvent,
  type AnalysisUsage,
  type CatalogModel,
  type EventOfType,
  FinalAnswer,
  finalAnswerTool,
  formatAnalysisCursor,
  isDurable,
  type JsonObject,
  type SessionEvent,
  type SessionState,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { addUsage, noUsage } from './add-usage.ts'
import { analysisClient, isAtRest, isParked } from './analysis-session.ts'
import { createTextPieces } from './text-pieces.ts'
import { expired, failureOf, restFailure } from './told-failure.ts'

export interface AnalysisFrame {
  /** Where the reader stands behind it; `null` where it may see it again. */
  readonly id: string | null
  /** `null` where only the reader's place has changed. */
  readonly event: AnalysisEvent | null
}

export interface AnalysisReader {
  /** What the reader is told of it. Takes every event from before the question on, told ones too. */
  read(event: StreamedEvent): readonly AnalysisFrame[]
  /** The last event was told. */
  isOver(): boolean
}

export interface ReaderOptions {
  /** What the reader has already. */
  readonly cursor: AnalysisCursor
  /** As it was when the stream was opened. */
  readonly session: SessionState
  readonly catalog: readonly CatalogModel[]
}

interface Told {
  /** The event of the log that it is told of. */
  readonly seq: number
  readonly event: AnalysisEvent
}

/** What is known of one question. */
interface Question {
  usage: AnalysisUsage
  isAnswered: boolean
  /** Told when it is clear that the question is at rest: a turn that was stopped may go on in the next one. */
  ending: Told | null
}

export function createAnalysisReader({ cursor, session, catalog }: ReaderOptions): AnalysisReader {
  const texts = createTextPieces(cursor.letters)
  const open = new Set(session.clientCalls.map(({ callId }) => callId))
  const answers = new Map<string, JsonObject>()
  for (const { callId, toolName, toolInput } of session.clientCalls) {
    if (toolName === finalAnswerTool) answers.set(callId, toolInput)
  }
  // Nothing comes behind it: whoever reads a question that is over is not kept waiting.
  const lastSeq = isAtRest(session.status) || isParked(session) ? session.seq : Number.POSITIVE_INFINITY
  let seq = 0
  let question = newQuestion()
  let isOver = false

  const place = (at: number) => formatAnalysisCursor({ seq: at, letters: texts.letters() })

  function readStreamed(event: Exclude<StreamedEvent, SessionEvent>): readonly AnalysisFrame[] {
    if (event.type === 'QueuePlaceChanged' || event.agent !== null) return []
    const { text, messageId, kind } = event.data
    const show = event.type === 'AgentStreamToken' ? texts.grow : texts.see
    const content = show(messageId, kind, text)
    return content === '' ? [] : [{ id: place(Math.max(seq, cursor.seq)), event: { type: 'thinking', content } }]
  }

  function textOf(event: EventOfType<'AgentThought' | 'AgentThinking'>): readonly Told[] {
    if (event.agent !== null || event.seq <= cursor.seq) return []
    const kind = event.type === 'AgentThought' ? 'text' : 'thinking'
    const content = texts.finish(event.data.messageId, kind, event.data.text)
    return content === '' ? [] : [{ seq: event.seq, event: { type: 'thinking', content } }]
  }

  function called({ seq: at, data }: EventOfType<'ClientToolCalled'>): readonly Told[] {
    const { callId: id, toolName: name, toolInput: input } = data
    if (name === finalAnswerTool) {
      answers.set(id, input)
      return []
    }
    const isAnswered = at <= session.seq && !open.has(id)
    return [{ seq: at, event: { type: 'tool_call', id, name, input, ...(isAnswered ? { answered: true } : {}) } }]
  }

  function returned({ seq: at, data }: EventOfType<'ClientToolReturned'>): readonly Told[] {
    const answer = FinalAnswer.safeParse(answers.get(data.callId))
    if (!answer.success || data.isError || question.isAnswered) return []
    question.isAnswered = true
    return [{ seq: at, event: { type: 'answer', result: { ...answer.data, usage: question.usage } } }]
  }

  function turnEnded(event: EventOfType<'TurnEnded'>): void {
    const { outcome, result } = event.data
    if (outcome !== 'completed') {
      question.ending ??= { seq: event.seq, event: failureOf(event.data) }
      return
    }
    const answer = result.response.trim() || 'The model ended without an answer.'
    const inWords = { answer, chartType: 'table' as const, usage: question.usage }
    question.ending = { seq: event.seq, event: { type: 'answer', result: inWords } }
  }

  function moved({ seq: at, data: { to, reason } }: EventOfType<'AgentSessionStatusChanged'>): readonly Told[] {
    if (to === 'interrupting') question.ending = { seq: at, event: restFailure(to, reason) }
    // The turn that was stopped goes on.
    if (to === 'running') question.ending = null
    if (!isAtRest(to)) return []
    const ending = question.isAnswered ? [] : [question.ending ?? { seq: at, event: restFailure(to, reason) }]
    return [...ending, { seq: at, event: { type: 'done' } }]
  }

  function left({ seq: at, data }: EventOfType<'ClientDetached'>): readonly Told[] {
    const isOurs = data.clientId === analysisClient.clientId
    // Somebody has come back since.
    if (!isOurs || (at <= session.seq && !isParked(session))) return []
    return [{ seq: at, event: expired }]
  }

  function fold(event: SessionEvent): readonly Told[] {
    switch (event.type) {
      case 'UserMessageQueued':
        if (event.data.origin === 'user') question = newQuestion()
        return []
      case 'UsageRecorded':
        question.usage = addUsage(question.usage, event.data, catalog)
        return []
      case 'AgentThought':
      case 'AgentThinking':
        return textOf(event)
      case 'AgentStreamDiscarded':
        if (event.seq > cursor.seq) texts.discard(event.data.messageId, event.data.text)
        return []
      case 'ClientToolCalled':
        return called(event)
      case 'ClientToolReturned':
        return returned(event)
      case 'TurnEnded':
        turnEnded(event)
        return []
      case 'AgentSessionStatusChanged':
        return moved(event)
      case 'ClientDetached':
        return left(event)
      default:
        return []
    }
  }

  return {
    isOver: () => isOver,
    read(event) {
      if (isOver) return []
      if (!isDurable(event)) return readStreamed(event)
      const told = fold(event).filter((one) => one.seq > cursor.seq)
      seq = event.seq
      isOver = told.some(isLast) || seq >= lastSeq
      if (seq <= cursor.seq) return []
      const frames = told.map((one, index) => {
        const isAlone = told[index + 1]?.seq !== one.seq
        return { id: isAlone ? place(one.seq) : null, event: one.event }
      })
      // Nobody's place moves beyond an ending that is not told yet.
      const isHeld = question.ending !== null && !isOver
      return isHeld || told.at(-1)?.seq === seq ? frames : [...frames, { id: place(seq), event: null }]
    },
  }
}

const newQuestion = (): Question => ({ usage: noUsage, isAnswered: false, ending: null })

const isLast = ({ event }: Told): boolean => event.type === 'done' || event === expired
