// The events of an analysis stream. Extensions are extra fields or new types.
import { z } from 'zod'
import { ClientCallId, SessionId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { AnalysisResult } from './analysis-result.ts'

/** Always the first event. */
const Session = z.looseObject({
  type: z.literal('session'),
  sessionId: SessionId,
  /** Authorizes tool results if the stream itself started the analysis. */
  toolToken: z.string().optional(),
})

/** A piece of the model's thinking, or of its text between calls. */
const Thinking = z.looseObject({ type: z.literal('thinking'), content: z.string() })

const ToolCall = z.looseObject({
  type: z.literal('tool_call'),
  id: ClientCallId,
  name: z.string(),
  input: JsonObject,
  /** The call already has its result: a reader from the start sees finished calls. */
  answered: z.literal(true).optional(),
  /** The call was sent before and still waits. */
  resent: z.literal(true).optional(),
})

const Answer = z.looseObject({ type: z.literal('answer'), result: AnalysisResult })

const Failure = z.looseObject({
  type: z.literal('error'),
  message: z.string(),
  code: z.string().optional(),
  /** Waking the session may help: `POST /api/analyze {sessionId}`. */
  retryable: z.boolean().optional(),
})

/** Always the last event of a question, except after `session_expired`. */
const Done = z.looseObject({ type: z.literal('done') })

export const AnalysisEvent = z
  .discriminatedUnion('type', [Session, Thinking, ToolCall, Answer, Failure, Done])
  .meta({ id: 'AnalysisEvent' })
export type AnalysisEvent = z.infer<typeof AnalysisEvent>

/** No client listened for five minutes: the calls wait, and the session can be woken. */
export const sessionExpired = 'session_expired'

/** The position of a reader of an analysis: the last event of the log, and the length of the text after it. */
export interface AnalysisCursor {
  readonly seq: number
  readonly textLength: number
}

const cursorPattern = /^(\d{1,15})(?:\.(\d{1,9}))?$/

/** `undefined` if it is not a cursor. */
export function parseAnalysisCursor(text: string): AnalysisCursor | undefined {
  const [, seq, textLength] = cursorPattern.exec(text) ?? []
  return seq === undefined ? undefined : { seq: Number(seq), textLength: Number(textLength ?? 0) }
}

export const formatAnalysisCursor = ({ seq, textLength }: AnalysisCursor): string =>
  textLength === 0 ? String(seq) : `${seq}.${textLength}`
