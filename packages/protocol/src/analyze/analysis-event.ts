// What the stream of an analysis says. More than this only as extra fields, or under new types.
import { z } from 'zod'
import { ClientCallId, SessionId } from '../values/ids.ts'
import { JsonObject } from '../values/json.ts'
import { AnalysisResult } from './analysis-result.ts'

/** Always the first. */
const Session = z.looseObject({
  type: z.literal('session'),
  sessionId: SessionId,
  /** For results of tools, where the analysis was started by the stream itself. */
  toolToken: z.string().optional(),
})

/** A piece of what the model thinks, or says between its calls. */
const Thinking = z.looseObject({ type: z.literal('thinking'), content: z.string() })

const ToolCall = z.looseObject({
  type: z.literal('tool_call'),
  id: ClientCallId,
  name: z.string(),
  input: JsonObject,
  /** It has its result already: a reader from the start sees what was done. */
  answered: z.literal(true).optional(),
  /** It was sent before and still waits. */
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

/** Always the last of a question, but after `session_expired` nothing comes. */
const Done = z.looseObject({ type: z.literal('done') })

export const AnalysisEvent = z
  .discriminatedUnion('type', [Session, Thinking, ToolCall, Answer, Failure, Done])
  .meta({ id: 'AnalysisEvent' })
export type AnalysisEvent = z.infer<typeof AnalysisEvent>

/** Nobody listened for five minutes: the calls wait, and the session can be woken. */
export const sessionExpired = 'session_expired'

/** Where a reader of an analysis stands: the last event of the log, and how much of the text after it. */
export interface AnalysisCursor {
  readonly seq: number
  readonly letters: number
}

const cursorPattern = /^(\d{1,15})(?:\.(\d{1,9}))?$/

/** `undefined` when it is not a cursor. */
export function parseAnalysisCursor(text: string): AnalysisCursor | undefined {
  const [, seq, letters] = cursorPattern.exec(text) ?? []
  return seq === undefined ? undefined : { seq: Number(seq), letters: Number(letters ?? 0) }
}

export const formatAnalysisCursor = ({ seq, letters }: AnalysisCursor): string =>
  letters === 0 ? String(seq) : `${seq}.${letters}`
