// After a crash or a shutdown, one user message tells the agent the decisions that people and clients made meanwhile.
// The engine writes these lines, and the simulator parses them. The agent issues an approved call again unchanged.
import { z } from 'zod'
import { parseJson } from '../values/parse-json.ts'

export interface WakeCall {
  readonly tool: string
  readonly input: unknown
}
export type WakeDenial = WakeCall & { readonly note: string | null }
/** `answers: null` when the person declined. */
export interface WakeAnswer {
  readonly questions: readonly string[]
  readonly answers: Readonly<Record<string, unknown>> | null
  readonly note: string | null
}
export type WakeResult = WakeCall & { readonly output: string; readonly isError: boolean }

const markers = {
  approved: 'Approved call (re-issue exactly):',
  denied: 'Denied call (do not issue it again):',
  answered: 'Answered question (do not ask it again):',
  result: 'Finished call (do not issue it again):',
  stopped: 'Approved call that was stopped (it may have run):',
} as const

const line = (marker: string, facts: object): string => `${marker} ${JSON.stringify(facts)}`

export const formatApprovedCall = (tool: string, input: unknown): string => line(markers.approved, { tool, input })

/** Not to be issued again blindly: the agent first finds out whether the call ran. */
export const formatStoppedCall = (tool: string, input: unknown): string => line(markers.stopped, { tool, input })

export const formatDeniedCall = (tool: string, input: unknown, note: string | null = null): string =>
  line(markers.denied, { tool, input, note })

export const formatAnswer = ({ questions, answers, note }: WakeAnswer): string =>
  line(markers.answered, { questions, answers, note })

export const formatResult = ({ tool, input, output, isError }: WakeResult): string =>
  line(markers.result, { tool, input, output, isError })

/** Calls in the order of their lines. A line with invalid JSON is skipped: the call cannot be issued exactly. */
export const parseApprovedCalls = (text: string): WakeCall[] =>
  read(markers.approved, text, Call).map(({ tool, input }) => ({ tool, input }))

export const parseDeniedCalls = (text: string): WakeDenial[] => read(markers.denied, text, Call)

export const parseAnswers = (text: string): WakeAnswer[] => read(markers.answered, text, Answer)

export const parseResults = (text: string): WakeResult[] => read(markers.result, text, Result)

/** Whether the engine wrote the text to report decisions. */
export const isWakeMessage = (text: string): boolean =>
  Object.values(markers).some((marker) => linesAfter(marker, text).length > 0)

const note = z.string().nullable().catch(null)
const Call = z.object({ tool: z.string(), input: z.unknown().default({}), note })
const Answer = z.object({ questions: z.array(z.string()), answers: z.record(z.string(), z.unknown()).nullable(), note })
const Result = z.object({ tool: z.string(), input: z.unknown().default({}), output: z.string(), isError: z.boolean() })

function read<Schema extends z.ZodType>(marker: string, text: string, schema: Schema): z.output<Schema>[] {
  return linesAfter(marker, text).flatMap((rest) => {
    // Not JSON: a sentence that only quotes the marker.
    const parsed = schema.safeParse(parseJson(rest.slice(rest.indexOf('{'), rest.lastIndexOf('}') + 1)))
    return parsed.success ? [parsed.data] : []
  })
}

function linesAfter(marker: string, text: string): string[] {
  const wanted = marker.toLowerCase()
  // Nearly all messages have no marker. The check avoids splitting long ones into lines.
  if (!text.toLowerCase().includes(wanted)) return []
  return text.split(/\r?\n/).flatMap((one) => {
    const at = one.toLowerCase().indexOf(wanted)
    return at === -1 ? [] : [one.slice(at + marker.length)]
  })
}

/** For an agent whose work was interrupted, when it may continue. */
export const continueMessage = {
  stopped: 'You were stopped in the middle of your work. Look at what is done, then go on with the task.',
  crashed: 'The server stopped while you were working. Look at what is done, then go on with the task.',
} as const

export const isContinueMessage = (text: string): boolean => Object.values<string>(continueMessage).includes(text)
