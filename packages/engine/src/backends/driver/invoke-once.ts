import { type ExecutionResult, errorReasons, messageOf } from '@quarterdeck/protocol'
import { startWorkTimer, type WorkTimer } from '../../async/work-timer.ts'
import type { AgentSession, EarlierMessage, SessionOptions } from '../backend.ts'
import { emptyResult } from '../empty-result.ts'

export interface Invocation {
  readonly message: string
  readonly context?: readonly EarlierMessage[] | undefined
  /** The time limit, not counting the wait for a person or a client. `null` for no limit. */
  readonly turnTimeoutMs?: number | null
}

/** Runs one message in its own session. Never throws: every failure is a result. */
export async function invokeOnce(
  create: (options: SessionOptions) => Promise<AgentSession>,
  options: SessionOptions,
  { message, context = [], turnTimeoutMs = null }: Invocation,
): Promise<ExecutionResult> {
  const timedOut = new AbortController()
  const timer = startWorkTimer(turnTimeoutMs ?? Number.POSITIVE_INFINITY, () => timedOut.abort())
  try {
    const session = await create(waitingFor(options, timer))
    try {
      let result = emptyResult
      for await (const event of session.run(withContext(message, context), timedOut.signal)) {
        if (event.type !== 'TurnEnded') continue
        const isLate = timedOut.signal.aborted && event.data.outcome === 'interrupted'
        result = isLate ? { ...event.data.result, errorReason: errorReasons.timeout } : event.data.result
      }
      return result
    } finally {
      await session.close()
    }
  } catch (error) {
    return { ...emptyResult, isError: true, errorReason: messageOf(error) }
  } finally {
    timer.stop()
  }
}

/** The time that people and clients take does not count. */
function waitingFor(options: SessionOptions, timer: WorkTimer): SessionOptions {
  async function pausingTimer<Answer>(answer: Promise<Answer>): Promise<Answer> {
    timer.pause()
    try {
      return await answer
    } finally {
      timer.resume()
    }
  }
  const { gate, questions, clientTools } = options
  return {
    ...options,
    gate: { ...gate, ask: (...asked) => pausingTimer(gate.ask(...asked)) },
    questions: { ...questions, ask: (...asked) => pausingTimer(questions.ask(...asked)) },
    clientTools: { ...clientTools, call: (...called) => pausingTimer(clientTools.call(...called)) },
  }
}

/** Earlier messages are shown to the model and never executed. */
function withContext(message: string, context: readonly EarlierMessage[]): string {
  if (context.length === 0) return message
  const earlier = context.map(({ role, content }) => `<${role}>\n${content}\n</${role}>`)
  return ['<earlier_messages>', ...earlier, '</earlier_messages>', '', message].join('\n')
}
