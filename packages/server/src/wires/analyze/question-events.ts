// What the events of a session's log say about the question that is worked on.
import {
  type AnalysisEvent,
  type AnalysisUsage,
  type CatalogModel,
  type EventOfType,
  FinalAnswer,
  finalAnswerTool,
  type JsonObject,
  type SessionEvent,
  type SessionState,
} from '@quarterdeck/protocol'
import { addUsage, noUsage } from './add-usage.ts'
import { expired, failureOf, restFailure } from './analysis-failure.ts'
import { analysisClient, isAtRest, isParked } from './analysis-session.ts'

export interface SequencedEvent {
  /** The event of the log that it is told of. */
  readonly seq: number
  readonly event: AnalysisEvent
}

export interface QuestionEvents {
  /** Takes every event from before the question on. */
  translate(event: SessionEvent): readonly SequencedEvent[]
  /** It is known how the question ends, and not told yet. */
  holdsEnding(): boolean
}

export interface QuestionEventsOptions {
  /** As it was when the stream was opened. */
  readonly session: SessionState
  readonly catalog: readonly CatalogModel[]
}

/** What is known of one question. */
interface Question {
  usage: AnalysisUsage
  isAnswered: boolean
  /** Told when it is clear that the question is at rest: a turn that was stopped may go on in the next one. */
  ending: SequencedEvent | null
  /** How it came to rest a while ago, if nothing went on since: somebody may have woken it. */
  rest: readonly SequencedEvent[]
}

export function createQuestionEvents({ session, catalog }: QuestionEventsOptions): QuestionEvents {
  const calls = createCallEvents(session)
  let question = newQuestion()

  function translate(event: SessionEvent): readonly SequencedEvent[] {
    switch (event.type) {
      case 'UserMessageQueued':
        return event.data.origin === 'user' ? askNext() : []
      case 'UsageRecorded':
        question.usage = addUsage(question.usage, event.data, catalog)
        return []
      case 'ClientToolCalled':
        return calls.called(event)
      case 'ClientToolReturned':
        return calls.returned(event, question)
      case 'TurnEnded':
        question.ending = endingOf(question, event)
        return []
      case 'AgentSessionStatusChanged':
        return moved(question, event, event.seq < session.seq)
      case 'ClientDetached':
        return left(session, event)
      default:
        return []
    }
  }

  /** What came before it is over for good. */
  function askNext(): readonly SequencedEvent[] {
    const { rest } = question
    question = newQuestion()
    return rest
  }

  /** Nothing came behind it. */
  function settle(): readonly SequencedEvent[] {
    const { rest } = question
    question.rest = []
    return rest
  }

  return {
    translate(event) {
      const emitted = translate(event)
      return event.seq === session.seq ? [...emitted, ...settle()] : emitted
    },
    holdsEnding: () => question.ending !== null || question.rest.length > 0,
  }
}

const newQuestion = (): Question => ({ usage: noUsage, isAnswered: false, ending: null, rest: [] })

function createCallEvents(session: SessionState) {
  const open = new Set(session.clientCalls.map(({ callId }) => callId))
  const answers = new Map<string, JsonObject>()
  for (const { callId, toolName, toolInput } of session.clientCalls) {
    if (toolName === finalAnswerTool) answers.set(callId, toolInput)
  }
  return {
    called({ seq, data }: EventOfType<'ClientToolCalled'>): readonly SequencedEvent[] {
      const { callId: id, toolName: name, toolInput: input } = data
      if (name === finalAnswerTool) {
        answers.set(id, input)
        return []
      }
      const isAnswered = seq <= session.seq && !open.has(id)
      return [{ seq, event: { type: 'tool_call', id, name, input, ...(isAnswered ? { answered: true } : {}) } }]
    },
    returned({ seq, data }: EventOfType<'ClientToolReturned'>, question: Question): readonly SequencedEvent[] {
      const answer = FinalAnswer.safeParse(answers.get(data.callId))
      if (!answer.success || data.isError || question.isAnswered) return []
      question.isAnswered = true
      return [{ seq, event: { type: 'answer', result: { ...answer.data, usage: question.usage } } }]
    },
  }
}

function endingOf({ ending, usage }: Question, { seq, data }: EventOfType<'TurnEnded'>): SequencedEvent {
  if (data.outcome !== 'completed') return ending ?? { seq, event: failureOf(data) }
  const answer = data.result.response.trim() || 'The model ended without an answer.'
  return { seq, event: { type: 'answer', result: { answer, chartType: 'table', usage } } }
}

function moved(
  question: Question,
  { seq, data }: EventOfType<'AgentSessionStatusChanged'>,
  isPast: boolean,
): readonly SequencedEvent[] {
  const { to, reason } = data
  if (to === 'interrupting') question.ending = { seq, event: restFailure(to, reason) }
  // The turn that was stopped goes on.
  if (to === 'running') question.ending = null
  question.rest = []
  if (!isAtRest(to)) return []
  const ending = question.isAnswered ? [] : [question.ending ?? { seq, event: restFailure(to, reason) }]
  const emitted: readonly SequencedEvent[] = [...ending, { seq, event: { type: 'done' } }]
  if (!isPast) return emitted
  question.rest = emitted
  return []
}

function left(session: SessionState, { seq, data }: EventOfType<'ClientDetached'>): readonly SequencedEvent[] {
  const isOurs = data.clientId === analysisClient.clientId
  // Somebody has come back since.
  if (!isOurs || (seq <= session.seq && !isParked(session))) return []
  return [{ seq, event: expired }]
}
