// Turns the log of a session into the stream of an analysis. It depends only on the log, so a reader that returns with
// a cursor, even to another process, gets the rest and nothing twice.
import {
  type AnalysisCursor,
  type AnalysisEvent,
  type CatalogModel,
  formatAnalysisCursor,
  isDurable,
  type SessionEvent,
  type SessionState,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { expired } from './analysis-failure.ts'
import { isAtRest, isParked } from './analysis-session.ts'
import { createQuestionEvents, type SequencedEvent } from './question-events.ts'
import { createTextPieces } from './text-pieces.ts'

export interface AnalysisFrame {
  /** The cursor after it; `null` if the reader may see it again. */
  readonly id: string | null
  /** `null` if only the cursor has changed. */
  readonly event: AnalysisEvent | null
}

export interface AnalysisReaderOptions {
  /** The position up to which the reader has everything. */
  readonly cursor: AnalysisCursor
  /** The session when the stream was opened. */
  readonly session: SessionState
  readonly catalog: readonly CatalogModel[]
}

export function createAnalysisReader({ cursor, session, catalog }: AnalysisReaderOptions) {
  const questionEvents = createQuestionEvents({ session, catalog })
  const texts = createTextReader(cursor)
  // Nothing follows: a reader of a finished question is not kept waiting.
  const lastSeq = isAtRest(session.status) || isParked(session) ? session.seq : Number.POSITIVE_INFINITY
  let seq = 0
  let isOver = false

  return {
    /** The last event was sent. */
    isOver: (): boolean => isOver,
    /** The output of an event. Takes every event from before the question on, including those already sent. */
    read(event: StreamedEvent): readonly AnalysisFrame[] {
      if (isOver) return []
      if (!isDurable(event)) return texts.streamed(event, seq)
      const emitted = [...texts.durable(event), ...questionEvents.translate(event)].filter(
        (one) => one.seq > cursor.seq,
      )
      seq = event.seq
      isOver = emitted.some(isLast) || seq >= lastSeq
      if (seq <= cursor.seq) return []
      const frames = emitted.map((one, index) => {
        const isAlone = emitted[index + 1]?.seq !== one.seq
        return { id: isAlone ? texts.cursorAt(one.seq) : null, event: one.event }
      })
      // The cursor does not move beyond an ending that is not sent yet.
      const isHeld = questionEvents.holdsEnding() && !isOver
      return isHeld || emitted.at(-1)?.seq === seq ? frames : [...frames, { id: texts.cursorAt(seq), event: null }]
    },
  }
}

/** The thinking and text of the model that the reader does not have yet. */
function createTextReader(cursor: AnalysisCursor) {
  const texts = createTextPieces(cursor.textLength)
  const cursorAt = (seq: number) => formatAnalysisCursor({ seq, textLength: texts.textLength() })
  return {
    cursorAt,
    streamed(event: Exclude<StreamedEvent, SessionEvent>, seq: number): readonly AnalysisFrame[] {
      if (event.type === 'QueuePlaceChanged' || event.agent !== null) return []
      const { text, messageId, kind } = event.data
      const show = event.type === 'AgentStreamToken' ? texts.grow : texts.see
      const content = show(messageId, kind, text)
      return content === '' ? [] : [{ id: cursorAt(Math.max(seq, cursor.seq)), event: { type: 'thinking', content } }]
    },
    durable(event: SessionEvent): readonly SequencedEvent[] {
      if (event.seq <= cursor.seq) return []
      if (event.type === 'AgentStreamDiscarded') texts.discard(event.data.messageId, event.data.text)
      if ((event.type !== 'AgentThought' && event.type !== 'AgentThinking') || event.agent !== null) return []
      const kind = event.type === 'AgentThought' ? 'text' : 'thinking'
      const content = texts.finish(event.data.messageId, kind, event.data.text)
      return content === '' ? [] : [{ seq: event.seq, event: { type: 'thinking', content } }]
    },
  }
}

const isLast = ({ event }: SequencedEvent): boolean => event.type === 'done' || event === expired
