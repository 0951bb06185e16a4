// Derives the events of the current question from the log of its session.
import {
  type AnalysisEvent,
  type AnalysisUsage,
  type CatalogModel,
  type EventOfType,
  FinalAnswer,
  finalAnswerTool,
  findModel,
  type JsonObject,
  type SessionEvent,
  type SessionState,
  unitsOf,
} from '@quarterdeck/protocol'
import { expired, failureOf, restFailure } from './analysis-failure.ts'
import { analysisClient, isAtRest, isParked } from './analysis-session.ts'

export interface SequencedEvent {
  /** The event of the log from which it derives. */
  readonly seq: number
  readonly event: AnalysisEvent
}

export interface QuestionEventsOptions {
  /** The session when the stream was opened. */
  readonly session: SessionState
  readonly catalog: readonly CatalogModel[]
}

/** The state of one question. */
interface Question {
  usage: AnalysisUsage
  isAnswered: boolean
  /** Sent when the question is finished: a stopped turn may continue in the next one. */
  ending: SequencedEvent | null
  /** The ending in the past, if nothing followed: the analysis may have been woken since. */
  rest: readonly SequencedEvent[]
}

export function createQuestionEvents({ session, catalog }: QuestionEventsOptions) {
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

  /** The previous question is finished. */
  function askNext(): readonly SequencedEvent[] {
    const { rest } = question
    question = newQuestion()
    return rest
  }

  /** Nothing followed. */
  function settle(): readonly SequencedEvent[] {
    const { rest } = question
    question.rest = []
    return rest
  }

  return {
    /** Takes every event from before the question on. */
    translate(event: SessionEvent): readonly SequencedEvent[] {
      const emitted = translate(event)
      return event.seq === session.seq ? [...emitted, ...settle()] : emitted
    },
    /** The ending of the question is known but not sent yet. */
    holdsEnding: (): boolean => question.ending !== null || question.rest.length > 0,
  }
}

const noUsage: AnalysisUsage = { inputTokens: 0, outputTokens: 0, units: 0, costUsd: 0 }

const newQuestion = (): Question => ({ usage: noUsage, isAnswered: false, ending: null, rest: [] })

/** Adds one request. The sum is unknown if a price in it is unknown. */
function addUsage(
  sum: AnalysisUsage,
  { tokens, units, costUsd, model }: EventOfType<'UsageRecorded'>['data'],
  catalog: readonly CatalogModel[],
): AnalysisUsage {
  const cached = (sum.cachedInputTokens ?? 0) + tokens.cacheRead
  return {
    inputTokens: sum.inputTokens + tokens.input + tokens.cacheRead + tokens.cacheWrite,
    outputTokens: sum.outputTokens + tokens.output,
    ...(cached === 0 ? {} : { cachedInputTokens: cached }),
    units: sum.units + (units ?? unitsOf(tokens, findModel(model, catalog))),
    costUsd: sum.costUsd === null || costUsd === null ? null : sum.costUsd + costUsd,
  }
}

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
  // The stopped turn continues.
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
  // A client has returned since.
  if (!isOurs || (seq <= session.seq && !isParked(session))) return []
  return [{ seq, event: expired }]
}
